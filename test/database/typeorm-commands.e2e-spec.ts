import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/core/project-root.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

const typeorm = path.join(projectRoot, 'node_modules/typeorm/cli.js');
const built = (file: string): string => pathToFileURL(path.join(projectRoot, 'dist', file)).href;

/** The build's data source with one more column of products. */
const WITH_A_COLUMN = `
import { Column } from '${built('vendor/typeorm.mjs')}';
import { Product } from '${built('src/catalog/product.entity.js')}';
Column('text', { nullable: true })(Product.prototype, 'publisher');
export { default } from '${built('ormconfig.js')}';`;

let database: TestDatabase;
let directory: string;

beforeAll(async () => {
  database = await createTestDatabase();
  directory = await mkdtemp(path.join(tmpdir(), 'topup-typeorm-'));
});

afterAll(async () => {
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});

/** Runs `npx typeorm …`. @returns the lines of standard output, and all of standard error. */
async function run(...words: string[]): Promise<{ said: string[]; warned: string }> {
  const command = spawn(process.execPath, [typeorm, ...words], {
    cwd: projectRoot,
    env: { DATABASE_URL: database.url, PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [said, warned] = await Promise.all([text(command.stdout), text(command.stderr)]);
  return { said: said.trim().split('\n'), warned };
}

describe('TypeORM’s own commands, on a migrated database', () => {
  it('schema:log: there is nothing to do', async () => {
    const { said, warned } = await run('schema:log', '-d', 'dist/ormconfig.js');
    expect(warned).toBe('');
    expect(said).toEqual([expect.stringContaining('Your schema is up to date')]);
  });

  it('migration:generate: writes the new column of an entity, and nothing else', async () => {
    const source = path.join(directory, 'with-a-column.mjs');
    await writeFile(source, WITH_A_COLUMN);
    const { said, warned } = await run('migration:generate', '-d', source, path.join(directory, 'publishers'));
    expect(warned).toBe('');
    expect(said).toEqual([expect.stringContaining('has been generated successfully')]);
    const [file = ''] = (await readdir(directory)).filter((name) => name.endsWith('-publishers.ts'));
    const written = await readFile(path.join(directory, file), 'utf8');
    expect(written.match(/query\(`.*`\)/g)).toEqual([
      'query(`ALTER TABLE "products" ADD "publisher" text`)',
      'query(`ALTER TABLE "products" DROP COLUMN "publisher"`)',
    ]);
  });
});
