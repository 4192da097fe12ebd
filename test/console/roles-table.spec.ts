import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PERMISSIONS, rolesWith } from '../../src/operators/roles.js';
import { withTables } from '../../tools/docs-site/generated-tables.js';

const written = readFileSync(new URL('../../docs/console.md', import.meta.url), 'utf8');

describe('the table of roles in the console’s documentation', () => {
  it('equals the table that `npm run openapi` writes from the permissions', () => {
    expect(withTables(written)).toBe(written);
  });

  it('has a line for each permission, with a mark for each role that has it', () => {
    const cells = written.split('\n').flatMap((line) => {
      const [, name = '', , ...marks] = line.split('|').map((cell) => cell.trim());
      return /^`\w+\.\w+`$/.test(name) ? [[name.slice(1, -1), marks.filter(Boolean).length] as const] : [];
    });
    expect(cells).toEqual(PERMISSIONS.map((permission) => [permission, rolesWith(permission).length]));
  });

  it('is written again after a change by hand', () => {
    const changed = written.replace('| `operators.manage` |', '| `operators.manage_all` |');
    expect(changed).not.toBe(written);
    expect(withTables(changed)).toBe(written);
  });
});
