import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { createTestDatabase } from './support/database.js';

const checkout = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(checkout, 'dist');
const { dependencies } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};

/** Packages that must stay in node_modules, because they read files beside their code. */
const UNPACKED = ['@bull-board/api', '@bull-board/express', '@node-rs/argon2', 'ioredis', 'pino'];

/** Prints, when a process ends, the packages that it loaded from node_modules with `require`. */
const LIST_REQUIRED = `import { createRequire } from 'node:module';
process.on('exit', () => process.stderr.write(Object.keys(createRequire(process.cwd() + '/').cache).join('\\n')));`;

const packageOf = (specifier: string): string => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

const importsOf = (source: string): string[] =>
  ts.preProcessFile(source, true, true).importedFiles.map(({ fileName }) => fileName);

/** All files of the build that a file imports, directly or indirectly, at once or later. */
function reachedFrom(entry: string): string[] {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const relative = importsOf(readFileSync(file, 'utf8')).filter((specifier) => specifier.startsWith('.'));
    const files = relative.map((specifier) => path.resolve(path.dirname(file), specifier));
    // A message in Nest's code has an import of a file that does not exist.
    for (const imported of files.filter((each) => existsSync(each))) visit(imported);
  };
  visit(path.join(dist, entry));
  return [...reached].map((file) => path.relative(dist, file));
}

/** The packages that the files of a folder of the build import. */
function importedIn(folder: string): string[] {
  const files = readdirSync(path.join(dist, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(path.join(dist, folder, file), 'utf8'))
    .flatMap(importsOf)
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
}

describe('The build', () => {
  it('contains the packages of production, except those that must stay in node_modules', () => {
    const packages = new Set([...importedIn('src'), ...importedIn('tools')].map(packageOf));
    const left = [...packages].filter((name) => name in dependencies);
    expect(left.sort()).toEqual(UNPACKED);
  });

  it('loads none of its packages from node_modules', async () => {
    const database = await createTestDatabase();
    try {
      const preload = `data:text/javascript,${encodeURIComponent(LIST_REQUIRED)}`;
      const command = spawn(process.execPath, ['--import', preload, 'bin/topup.js', 'merchant', 'list'], {
        cwd: checkout,
        env: { DATABASE_URL: database.url },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const loaded = (await text(command.stderr)).split('\n');
      const names = loaded.map((file) => packageOf(file.split('/node_modules/').at(-1) ?? ''));
      expect(names).toContain('pino');
      expect([...new Set(names)].filter((name) => name in dependencies)).toEqual(['pino']);
    } finally {
      await database.drop();
    }
  });

  it('loads the documentation of the API only in the API, not in workers and commands', () => {
    const swagger = 'vendor/@nestjs/swagger.mjs';
    expect(reachedFrom('src/api-process.js')).toContain(swagger);
    expect(reachedFrom('src/worker-process.js')).not.toContain(swagger);
    expect(reachedFrom('src/cli.js')).toContain('src/cli/order.commands.js');
    expect(reachedFrom('src/cli.js')).not.toContain(swagger);
  });
});
