import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '../src/auth/api-keys.service.js';
import { projectRoot } from '../src/core/project-root.js';
import { SchemaService } from '../src/database/schema.service.js';
import { closeWithBalancedBooks } from './support/books.js';
import { expectError } from './support/expectations.js';
import { Client } from './support/http.js';
import { startNginx, type RunningNginx } from './support/nginx.js';
import { findProgram } from './support/programs.js';
import { TestStack, unique, type TestMerchant } from './support/stack.js';

const nginx = await findProgram('nginx');
if (nginx === null) process.stderr.write('SKIPPED, because there is no nginx and none can be fetched: cells\n');

/** The line of the example, with another address. */
const cellsConf = (url: string): string => {
  const example = readFileSync(path.join(projectRoot, 'deploy/nginx/cells/cells.conf.example'), 'utf8');
  expect(example).toContain('https://b.topup.example.com');
  return example.replace('https://b.topup.example.com', url);
};

/** The first cell, which existed alone before, and a second one. */
let home: TestStack;
let second: TestStack;

beforeAll(async () => {
  home = await TestStack.start();
  second = await TestStack.start({ CELL: 'b' });
});

afterAll(async () => {
  await closeWithBalancedBooks(home);
  await closeWithBalancedBooks(second);
});

describe('A key of a cell', () => {
  it('has the name of the cell, after the prefix of the sandbox', async () => {
    expect((await home.merchant()).key).toMatch(/^topup_[0-9A-Za-z]{43}$/);
    expect((await home.sandboxMerchant()).key).toMatch(/^topup_test_[0-9A-Za-z]{43}$/);
    expect((await second.merchant()).key).toMatch(/^topup_b_[0-9A-Za-z]{43}$/);
    expect((await second.sandboxMerchant()).key).toMatch(/^topup_test_b_[0-9A-Za-z]{43}$/);
  });

  it('has six random characters as its hint, and is replaced by a key of the same cell', async () => {
    const { id } = await second.merchant();
    const keys = second.api.get(ApiKeysService);
    const { apiKey, key } = await keys.issue(id);
    expect(apiKey.prefix).toBe(key.slice(0, 'topup_b_'.length + 6));
    expect((await keys.rotate(apiKey.id, 0)).key).toMatch(/^topup_b_[0-9A-Za-z]{43}$/);
  });

  it('still works after its installation gets a name, or another one', async () => {
    const { key } = await home.merchant();
    const renamed = await home.startApi({ CELL: 'a' });
    await renamed.get(SchemaService).whenReady();
    try {
      expect((await new Client(home.urlOf(renamed), key).get('/v1/wallet')).status).toBe(200);
    } finally {
      await renamed.close();
    }
  });

  it('is refused in another form', async () => {
    const { key } = await second.merchant();
    const wrong = [key.replace('_b_', '_'), key.replace('_b_', '_B_'), key.replace('_b_', '_test_')];
    for (const each of [...wrong, key.replace('_b_', '_b_b_'), key.replace('_b_', '_b_test_')])
      expectError(await new Client(second.url, each).get('/v1/wallet'), 401, 'UNAUTHORIZED');
  });
});

(nginx === null ? describe.skip : describe)('nginx before two cells', () => {
  let router: RunningNginx;

  beforeAll(async () => {
    if (nginx) router = await startNginx(nginx, { api: home.url, cells: cellsConf(second.url) });
  });

  afterAll(() => router.stop());

  const throughRouter = (key: string | null): Client => new Client(router.url, key);

  /** Places an order through the router, and waits for its end. @returns the number of orders with its reference in each cell. */
  async function order(stack: TestStack, { id, key }: TestMerchant): Promise<number[]> {
    const request = {
      reference_id: unique('cell'),
      user_id: 'player-1',
      items: [{ sku: await stack.product('35.00') }],
    };
    const client = throughRouter(key);
    expect((await client.post('/v1/orders', request)).status).toBe(200);
    await stack.orderWith({ id, key, client }, request.reference_id, 'completed');
    const count = async (each: TestStack): Promise<number> => {
      const rows = await each.sql('SELECT 1 FROM orders WHERE reference_id = $1', [request.reference_id]);
      return rows.length;
    };
    return Promise.all([count(home), count(second)]);
  }

  it('sends each order to the cell of its key', async () => {
    expect(await order(home, await home.merchant())).toEqual([1, 0]);
    expect(await order(second, await second.merchant())).toEqual([0, 1]);
  });

  it('also sends orders of sandbox merchants to the cell of their key', async () => {
    const [one, other] = [await home.sandboxMerchant('50.00'), await second.sandboxMerchant('70.00')];
    const wallets = [one, other].map(({ key }) => throughRouter(key).get<{ available_amount: string }>('/v1/wallet'));
    expect((await Promise.all(wallets)).map(({ body }) => body.available_amount)).toEqual(['50.00', '70.00']);
  });

  it('sends keys of no cell to the first cell, which refuses them', async () => {
    const { key } = await second.merchant();
    const strangers = [
      null,
      'secret',
      key.replace('_b_', '_c_'),
      key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
    ];
    for (const each of strangers) expectError(await throughRouter(each).get('/v1/wallet'), 401, 'UNAUTHORIZED');
  });

  it('sends requests that need no key to the first cell', async () => {
    expect((await fetch(`${router.url}/healthz`)).status).toBe(200);
    expectError(await throughRouter(null).get('/nothing'), 404, 'NOT_FOUND');
  });
});
