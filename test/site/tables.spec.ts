import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DETAIL_CODES, HTTP_STATUS } from '../../src/core/errors.js';
import { FAILURE_CODES } from '../../src/core/failures.js';
import { projectRoot } from '../../src/core/project-root.js';
import { behaviourOf } from '../../src/suppliers/sandbox/sandbox-behaviours.js';
import { withTables } from '../../tools/docs-site/generated-tables.js';
import { pageAt } from './built-site.js';

const read = (file: string): string => readFileSync(path.join(projectRoot, file), 'utf8');
const document = JSON.parse(read('openapi.json')) as {
  paths: Record<string, Record<string, { summary: string }>>;
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
};

/** The codes in the first column of a table. */
const codesOn = (address: string): string[] =>
  [...pageAt(address).matchAll(/<tr id="[^"]+">\s*<td><code>([A-Z_]+)<\/code>/g)].map(([, code = '']) => code);

describe('The tables of codes', () => {
  it.each(['docs/failure-codes.md', 'docs/merchants/error-codes.md'])(
    'in %s are as the code has them: npm run openapi writes them',
    (file) => {
      const written = read(file);
      expect(written).toMatch(/<!-- table: [a-z-]+ -->/);
      expect(withTables(written)).toBe(written);
    },
  );

  it('have every code that an error, its details or a failure can have, and no others', () => {
    expect(codesOn('/reference/error-codes')).toEqual([...Object.keys(HTTP_STATUS), ...Object.keys(DETAIL_CODES)]);
    expect(codesOn('/reference/failure-codes')).toEqual(FAILURE_CODES);
  });

  it('are not written if a document names an unknown code', () => {
    expect(() => withTables('<!-- table: of-contents -->\n\n<!-- /table -->')).toThrow('there is no table of-contents');
  });
});

describe('The table of the sandbox', () => {
  it('has each user_id with a special result of a sandbox order, and no others', () => {
    const names = [...read('docs/sandbox.md').matchAll(/^\| `(sim-[^`]+)`/gm)].map(([, name = '']) => name);
    expect(names).toHaveLength(10);
    const plain = behaviourOf('player-1', 'MLBB-86', 2);
    for (const name of names) {
      const userId = name.replace('<code>', 'limit_exceeded').replace('<n>', '1').replace('<ms>', '50');
      expect([name, behaviourOf(userId, 'MLBB-86', 2)]).not.toEqual([name, plain]);
    }
    for (const name of names) expect(pageAt('/sandbox')).toContain(name.replace('<', '&lt;').replace('>', '&gt;'));
  });
});

describe('The reference', () => {
  const reference = ['orders', 'wallet', 'deposits', 'products', 'players', 'webhooks', 'events', 'sandbox']
    .map((tag) => pageAt(`/reference/${tag}`))
    .join('');

  it('has every request, with a command to send it', () => {
    for (const [route, item] of Object.entries(document.paths)) {
      for (const [method, { summary }] of Object.entries(item)) {
        expect(reference).toContain(`>${summary}</a></h2>`);
        expect(reference).toContain(
          `<span class="method ${method}">${method.toUpperCase()}</span> <code>${route}</code>`,
        );
      }
    }
    const commands = reference.match(/aria-label="curl"/g);
    expect(commands).toHaveLength(Object.values(document.paths).flatMap((item) => Object.keys(item)).length);
  });

  it('explains each id of a player, with an example', () => {
    for (const address of ['/reference/orders', '/reference/players']) {
      const html = pageAt(address);
      for (const [name, example] of [
        ['user_id', '123456789 (2001)'],
        ['server_id', 'os_asia'],
        ['character_id', '4294967301'],
      ] as const) {
        const [, words = ''] = new RegExp(`<dt><code>${name}</code>[^]*?<dd>([^]*?)</dd>`).exec(html) ?? [];
        expect([address, name, words]).toEqual([address, name, expect.stringContaining(`<code>${example}</code>`)]);
      }
    }
  });

  it('has every member of an order, and every event with its body', () => {
    const orders = pageAt('/reference/orders');
    for (const name of Object.keys(document.components.schemas.OrderDto?.properties ?? {}))
      expect(orders).toContain(`<dt><code>${name}</code>`);
    for (const event of Object.keys(document.webhooks))
      expect(pageAt('/reference/event-payloads')).toContain(`>${event}</a></h2>`);
  });
});
