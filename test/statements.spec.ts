import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const src = fileURLToPath(new URL('../src', import.meta.url));

const STATEMENT = /\b(SELECT|INSERT INTO|DELETE FROM)\b|\bUPDATE \w+ SET\b/;

/** Files that may contain SQL: repositories, their imports, and the code of the database itself. */
const HOMES = /\.repository\.ts$|\.sql\.ts$|^database\//;

/** Whether the code, without comments, contains SQL. */
const holdsSql = (code: string): boolean =>
  code.split('\n').some((line) => !/^\s*(\/\/|\/?\*)/.test(line) && STATEMENT.test(line));

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
);

describe('SQL', () => {
  it('is in repositories only', () => {
    const elsewhere = files.filter((file) => !HOMES.test(file) && holdsSql(readFileSync(path.join(src, file), 'utf8')));
    expect(elsewhere).toEqual([]);
  });

  it('is recognized', () => {
    expect(holdsSql('const FIND = `\n  SELECT id FROM orders`;')).toBe(true);
    expect(holdsSql('// SELECT\n * UPDATE orders SET\nconst text = "Select one of them";')).toBe(false);
    expect(files.filter((file) => holdsSql(readFileSync(path.join(src, file), 'utf8')))).toContain(
      path.join('catalog', 'prices.repository.ts'),
    );
  });
});
