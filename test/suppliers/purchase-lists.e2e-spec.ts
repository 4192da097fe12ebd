import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

interface Line {
  ok: boolean;
  listed: number | null;
  unreadable: number;
  unknown: number;
  open_cases: number;
  unaskable: number;
  problem: string | null;
}

interface Case {
  id: number;
  order_number: string | null;
  reference: string | null;
  supplier_sku: string | null;
  player: string | null;
  bought_at: string | null;
  amount: string | null;
  detail: string | null;
}

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_PURCHASES_INTERVAL_MS: '0' });
  const { DATABASE_URL, secretsKey } = stack.config;
  commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
  merchant = await stack.merchant();
  sku = await stack.product('35.00');
});

afterEach(async () => {
  stack.supplier.purchases = () => ({ status: 404 });
  for (const { id } of await openCases())
    await commandLine.json('reversal', 'close', `${id}`, '--reason', 'end of the test');
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  rmSync(directory, { recursive: true });
});

const directory = mkdtempSync(path.join(tmpdir(), 'statement-'));

/** A vendor's file with these lines. */
function statementOf(lines: string[]): string {
  const file = path.join(directory, 'statement.csv');
  writeFileSync(file, lines.join('\n'));
  return file;
}

const openCases = (): Promise<Case[]> => commandLine.json<Case[]>('reversal', 'list', '--open');
const page = (data: (object | null)[], next_cursor: string | null = null): Answer => ({
  status: 200,
  body: { data, next_cursor },
});
const completed = async (): Promise<OrderBody> => {
  const order = await stack.order(merchant, [{ sku }]);
  return stack.orderWith(merchant, order.reference_id, 'completed');
};
const report = async (...options: string[]): Promise<Line> => {
  const { stdout } = await commandLine.run('report', 'supplier', '--supplier', 'fake', '--json', ...options);
  const { suppliers } = JSON.parse(stdout) as { suppliers: [Line] };
  return suppliers[0];
};

describe('what a supplier lists that it sold us', () => {
  it('is a case where no order knows it, once, and otherwise none', async () => {
    const order = await completed();
    const reference = unique('ord_gone.1');
    const bought = {
      sku: 'MLBB-86',
      user_id: '123456789',
      server_id: '2001',
      created_at: '2026-01-15T08:30:00.5Z',
    };
    stack.supplier.purchases = () =>
      page([
        { reference: `${order.order_number}.1.1`, status: 'succeeded' },
        {
          reference,
          status: 'succeeded',
          ...bought,
          cost: '29.50',
          currency: 'THB',
          supplier_reference: 'S-9',
        },
        { reference: unique('ord_failed.1'), status: 'failed', failure_code: 'OUT_OF_STOCK' },
      ]);
    expect(await report()).toMatchObject({ ok: false, listed: 3, unknown: 1, open_cases: 1 });
    expect(await openCases()).toMatchObject([
      {
        ...{
          order_number: null,
          reference,
          supplier_sku: 'MLBB-86',
          player: '123456789 2001',
          amount: '29.5',
        },
        ...{ bought_at: '2026-01-15T08:30:00.500Z', detail: 'listed: succeeded', supplier_reference: 'S-9' },
      },
    ]);
    expect(await report()).toMatchObject({ ok: false, listed: 3, unknown: 0, open_cases: 1 });
  });

  it('is read page by page, from the moment on that was asked for', async () => {
    const asked: URLSearchParams[] = [];
    stack.supplier.purchases = (query) => {
      asked.push(query);
      const at = Number(query.get('cursor') ?? '0');
      return page([{ reference: unique('ord_gone.2'), status: 'processing' }], at < 2 ? `${at + 1}` : null);
    };
    expect(await report('--since', '2026-01-15T00:00:00Z')).toMatchObject({ listed: 3, unknown: 3 });
    expect(asked.map((query) => query.get('cursor'))).toEqual([null, '1', '2']);
    expect(new Set(asked.map((query) => query.get('since')))).toEqual(new Set(['2026-01-15T00:00:00.000Z']));
  });

  it('need not be told', async () => {
    for (const status of [404, 405, 410, 501, 400, 422]) {
      stack.supplier.purchases = () => ({ status });
      expect(await report()).toMatchObject({ ok: true, listed: null, unknown: 0, problem: null });
    }
  });

  it('is read but for entries that can’t be, which are counted', async () => {
    const [before, between, after] = [unique('ord_gone.4'), unique('ord_gone.4'), unique('ord_gone.4')];
    const unreadable = [null, { status: 'succeeded', supplier_reference: 'S-1' }, { reference: 7 }];
    stack.supplier.purchases = (query) =>
      query.has('cursor')
        ? page([{ reference: after, status: 'succeeded' }, { reference: 'x'.repeat(256) }])
        : page([{ reference: before }, ...unreadable, { reference: between }], '1');
    expect(await report()).toMatchObject({
      ...{ ok: false, listed: 3, unreadable: 4, unknown: 3 },
      problem: 'list of purchases: 4 entries can’t be read (the supplier calls one of them S-1)',
    });
    expect((await openCases()).map(({ reference }) => reference)).toEqual([after, between, before]);
  });

  it('ends in its middle where a later page is refused', async () => {
    for (const status of [400, 404]) {
      stack.supplier.purchases = (query) => (query.has('cursor') ? { status } : page([], '1'));
      expect(await report()).toMatchObject({ ok: false, problem: `list of purchases: HTTP ${status}` });
    }
  });

  it.each<[string, Answer, string]>([
    ['fails', { status: 500 }, 'list of purchases: HTTP 500'],
    ['is none', { status: 200, body: [] }, 'list of purchases: the list of purchases can’t be read'],
    [
      'names no purchase',
      page([{ status: 'succeeded' }]),
      'list of purchases: no entry in the list of purchases can be read',
    ],
    ['never ends', page([], 'same'), 'list of purchases: the list of purchases does not end'],
  ])('makes the comparison incomplete where it %s', async (_what, answer, problem) => {
    stack.supplier.purchases = () => answer;
    expect(await report()).toMatchObject({ ok: false, listed: null, problem });
  });
});

describe('a statement of a supplier', () => {
  it('is taken for its list', async () => {
    const order = await completed();
    const [gone, failed] = [unique('T'), unique('T')];
    stack.supplier.purchases = () => ({ status: 500 });
    const file = statementOf([
      'No,Ref ID,Keterangan,Tujuan',
      `1,${order.order_number}.1.1,Sukses,1`,
      `2,${gone},Terkirim,123`,
      `3,${failed},Batal,124`,
    ]);
    const format = [
      '--column',
      'reference=Ref ID',
      '--column',
      'status=Keterangan',
      '--column',
      'player=Tujuan',
    ];
    const words = ['--bought', 'Terkirim', '--not-bought', 'Batal'];
    expect(await report('--statement', file, ...format, ...words)).toMatchObject({ listed: 3, unknown: 1 });
    expect(await openCases()).toMatchObject([
      { reference: gone, player: '123', detail: 'statement.csv, line 3: Terkirim' },
    ]);
  });

  it('opens no case of what is older than the moment that is given, and says which statuses it can’t tell', async () => {
    const [older, since, unclear] = [unique('T'), unique('T'), unique('T')];
    const file = statementOf([
      'reference,status,bought_at',
      `${older},Sukses,2026-01-14T23:59:59Z`,
      `${since},Sukses,2026-01-15T00:00:00Z`,
      `${unclear},Selesai,`,
    ]);
    expect(await report('--statement', file, '--since', '2026-01-15T00:00:00Z')).toMatchObject({
      ...{ listed: 2, unknown: 2 },
      statement: {
        ...{ name: 'statement.csv', passed_over: 1 },
        unclear_statuses: [{ status: 'Selesai', lines: 1 }],
      },
    });
    expect((await openCases()).map(({ reference }) => reference)).toEqual([unclear, since]);
    const args = ['report', 'supplier', '--supplier', 'fake', '--statement', file];
    const { stdout } = await commandLine.run(...args, '--since', '2026-01-15T00:00:00Z');
    expect(stdout).toContain('1 line has a status that nobody has explained');
    expect(stdout).toContain('"Selesai" (1)');
    expect(stdout).toContain('1 purchase of statement.csv from before --since opened no case.');
    expect(await report('--statement', file)).toMatchObject({ listed: 3, unknown: 1 });
  });

  it('is refused in words where it can’t be read, and where nobody says whose it is', async () => {
    const file = statementOf(['sku', 'ml86']);
    const refused = (...args: string[]): Promise<string> =>
      commandLine.refused('report', 'supplier', ...args);
    expect(await refused('--supplier', 'fake', '--statement', file)).toMatch(
      /statement.csv could not be read:\n {2}one of reference and supplier_reference must be a column/,
    );
    expect(await refused('--statement', file)).toMatch(/say whose statement it is, with --supplier/);
    expect(await refused('--statement', file, '--column', 'ref=Ref ID')).toMatch(/It must be name=header/);
  });
});
