import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refused } from '../support/fake-supplier.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

type Line = Record<string, string | number | null>;

let stack: TestStack;
let commandLine: CommandLine;
/** A merchant with today's credits, debits, orders and refunds. */
let shop: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  shop = await stack.merchant('100.00');
  const sku = await stack.product('35.00');
  stack.supplier.script('nobody', ({ reference }) => refused(reference, 'INVALID_PLAYER'));
  const completed = await stack.order(shop, [{ sku }]);
  const failed = await stack.order(shop, [{ sku }], 'nobody');
  await stack.orderWith(shop, completed.reference_id, 'completed');
  await stack.orderWith(shop, failed.reference_id, 'failed');
  const fund = ['--merchant', String(shop.id), '--reference', '=back-1', '--note', '@SUM(A1)'];
  await commandLine.json('wallet', 'debit', ...fund, '--amount', '5.05');
});

afterAll(() => stack.close());

/**
 * A merchant with credits of given times.
 * @param credits amounts in satang and their times, in the order in which they were written.
 */
async function creditedAt(credits: [amount: number, at: string][]): Promise<TestMerchant> {
  const merchant = await stack.merchant('0');
  const total = credits.reduce((sum, [amount]) => sum + amount, 0);
  await stack.sql('UPDATE wallets SET available = available + $2 WHERE merchant_id = $1', [merchant.id, total]);
  let after = 0;
  for (const [index, [amount, at]] of credits.entries()) {
    after += amount;
    await stack.sql(
      `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, created_at)
       VALUES ($1, 'credit', 'funding', 'available', $2, $3, $4, $5)`,
      [merchant.id, amount, after, `bank-${index}`, at],
    );
  }
  return merchant;
}

const statement = (merchant: TestMerchant, ...options: string[]): string[] => [
  'wallet',
  'statement',
  '--merchant',
  String(merchant.id),
  ...options,
];

describe('topup wallet statement', () => {
  it('has the merchant’s view of each movement, and the operator’s reference and note', async () => {
    const lines = await commandLine.json<Line[]>(...statement(shop));
    const { body } = await shop.client.get<{ data: Line[] }>('/v1/wallet/entries');
    expect(lines.map(({ reference: _reference, note: _note, ...line }) => line)).toEqual(body.data);
    expect(lines).toHaveLength(5);
    expect(lines[0]).toMatchObject({ kind: 'debit', reference: '=back-1', note: '@SUM(A1)' });
    const hold = lines.find(({ kind }) => kind === 'order_hold');
    expect(hold).toMatchObject({ reference: null, note: null });
  });

  it('is also CSV without spreadsheet formulas, and a table', async () => {
    const { code, stdout, stderr } = await commandLine.run(...statement(shop, '--csv'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, debit, ...rest] = stdout.split('\n');
    expect(head).toBe('id,created_at,kind,amount,available_amount_after,reference_id,order_number,reference,note');
    expect(debit).toMatch(/^\d+,[^,]+Z,debit,-5\.05,59\.95,'=back-1,,'=back-1,'@SUM\(A1\)$/);
    expect(rest).toHaveLength(5);
    const table = await commandLine.run(...statement(shop));
    expect(table.stdout).toMatch(/│ debit +│ -5\.05 +│ 59\.95 +│/);
    const idle = await commandLine.run(...statement(await stack.merchant('0.01'), '--to', '2020-01-01'));
    expect(idle.stdout).toBe('Nothing moved the available balance.\n');
  });

  it('begins with --from and ends before --to', async () => {
    const [first, second, third] = [
      '2025-03-01T08:00:00.000Z',
      '2025-03-01T08:00:00.001Z',
      '2025-03-02T00:00:00.000Z',
    ] as const;
    const merchant = await creditedAt([
      [1, first],
      [2, second],
      [3, third],
    ]);
    const amounts = async (...options: string[]): Promise<unknown[]> =>
      (await commandLine.json<Line[]>(...statement(merchant, ...options))).map(({ amount }) => amount);
    const [from, to, both, days] = await Promise.all([
      amounts('--from', second),
      amounts('--to', second),
      amounts('--from', first, '--to', third),
      amounts('--from', '2025-03-02'),
    ]);
    expect(from).toEqual(['0.03', '0.02']);
    expect(to).toEqual(['0.01']);
    expect(both).toEqual(['0.02', '0.01']);
    expect(days).toEqual(['0.03']);
  });

  it('refuses an unknown merchant, two formats at once, and a period that ends as it begins', async () => {
    await commandLine.refusedAll([
      [['wallet', 'statement', '--merchant', '9999'], /there is no merchant 9999/],
      [statement(shop, '--csv'), 'error: choose one: --csv or --json\n'],
      [statement(shop, '--from', '2025-03-02', '--to', '2025-03-02'), 'error: --to must be later than --from\n'],
    ]);
  });

  it('streams its lines, so that many lines need no more memory', async () => {
    const merchant = await stack.merchant('0');
    const lines = 100_000;
    await stack.fill(
      `INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, reference, note)
       SELECT $1, 'credit', 'funding', 'available', 1, n, 'many-' || n, repeat('x', 400) FROM generate_series(1, $2::int) n`,
      [merchant.id, lines],
    );
    await stack.sql('UPDATE wallets SET available = $2 WHERE merchant_id = $1', [merchant.id, lines]);
    const small = new CommandLine({
      DATABASE_URL: stack.config.DATABASE_URL,
      NODE_OPTIONS: '--max-old-space-size=64',
    });
    const { code, stdout } = await small.run(...statement(merchant, '--csv'));
    expect(code).toBe(0);
    const ids = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => Number(line.split(',', 1)[0]));
    expect(ids).toHaveLength(lines);
    expect(ids.every((id, index) => index === 0 || id < (ids[index - 1] ?? 0))).toBe(true);
  });
});

describe('topup wallet list', () => {
  it('begins with the lowest available balance', async () => {
    const poor = await stack.merchant('0.01');
    const wallets = await commandLine.json<Line[]>('wallet', 'list');
    const amounts = wallets.map(({ available_amount }) => Number(available_amount));
    expect(amounts).toEqual([...amounts].sort((a, b) => a - b));
    expect(wallets.find(({ merchant_id }) => merchant_id === poor.id)).toEqual({
      merchant_id: poor.id,
      name: expect.any(String) as unknown as string,
      available_amount: '0.01',
      held_amount: '0.00',
      sandbox: false,
    });
    expect(wallets).toContainEqual(
      expect.objectContaining({ merchant_id: shop.id, available_amount: '59.95', held_amount: '0.00' }),
    );
  });
});

describe('topup report statement', () => {
  const report = (merchant: TestMerchant, month: string, ...options: string[]): string[] => [
    'report',
    'statement',
    '--merchant',
    String(merchant.id),
    '--month',
    month,
    ...options,
  ];
  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await creditedAt([
      [100, '2025-09-30T16:59:59.999Z'],
      [20, '2025-09-30T17:00:00.000Z'],
      [3, '2025-10-31T16:59:59.999Z'],
      [5000, '2025-10-31T17:00:00.000Z'],
    ]);
  });

  it('leads from the opening balance through each movement to the closing one, in months of Bangkok', async () => {
    const body = await commandLine.json<Line & { movements: Line[] }>(...report(merchant, '2025-10'));
    expect(body).toMatchObject({
      merchant_id: merchant.id,
      month: '2025-10',
      opening_amount: '1.00',
      closing_amount: '1.23',
      movements: [
        { kind: 'credit', amount: '0.20', available_amount_after: '1.20', reference_id: 'bank-1' },
        { kind: 'credit', amount: '0.03', available_amount_after: '1.23', reference_id: 'bank-2' },
      ],
    });
    expect(Object.keys(body)).toEqual(['merchant_id', 'month', 'opening_amount', 'closing_amount', 'movements']);
    // Merchants must not see notes of operators.
    expect(Object.keys(body.movements[0] ?? {})).toEqual([
      'id',
      'kind',
      'amount',
      'available_amount_after',
      'reference_id',
      'order_number',
      'created_at',
    ]);
  });

  it('opens a month with the closing balance of the month before', async () => {
    const [before, after, quiet] = await Promise.all(
      ['2025-09', '2025-11', '2025-12'].map((month) => commandLine.json<Line>(...report(merchant, month))),
    );
    expect(before).toMatchObject({ opening_amount: '0.00', closing_amount: '1.00' });
    expect(after).toMatchObject({ opening_amount: '1.23', closing_amount: '51.23' });
    expect(quiet).toMatchObject({ opening_amount: '51.23', closing_amount: '51.23', movements: [] });
  });

  it('has the right sums after the clock was set back between two movements', async () => {
    const disordered = await creditedAt([
      [100, '2025-10-31T17:00:05.000Z'],
      [20, '2025-10-31T16:59:58.000Z'],
    ]);
    expect(await commandLine.json(...report(disordered, '2025-10'))).toMatchObject({
      opening_amount: '0.00',
      closing_amount: '0.20',
      movements: [{ amount: '0.20' }],
    });
    expect(await commandLine.json(...report(disordered, '2025-11'))).toMatchObject({
      opening_amount: '0.20',
      closing_amount: '1.20',
      movements: [{ amount: '1.00' }],
    });
  });

  it('is also CSV and a table, with both balances', async () => {
    const { stdout } = await commandLine.run(...report(merchant, '2025-10', '--csv'));
    const [head, opening, first, , closing, ...rest] = stdout.split('\n');
    expect(head).toBe('id,created_at,kind,amount,available_amount_after,reference_id,order_number');
    expect([opening, closing]).toEqual([',,opening,,1.00,,', ',,closing,,1.23,,']);
    expect(first).toMatch(/^\d+,2025-09-30T17:00:00\.000Z,credit,0\.20,1\.20,bank-1,$/);
    expect(rest).toEqual(['']);
    const table = await commandLine.run(...report(merchant, '2025-10'));
    expect(table.stdout).toMatch(/^Merchant \d+, 2025-10: opening balance 1\.00\n[^]+\nClosing balance 1\.23\n$/);
  });

  describe('as it is sent', () => {
    const month = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Bangkok' }).format(new Date()).slice(0, 7);
    const linesOf = (html: string): string[][] =>
      [...html.matchAll(/<tr>(.*?)<\/tr>/g)].map(([, row = '']) =>
        [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/g)].map(([, cell = '']) => cell.replace(/<[^>]+>/g, ' ').trim()),
      );

    it('is a page with the sums, and one line for each order, a deposit and a withdrawal', async () => {
      const { stdout } = await commandLine.run(...report(shop, month, '--html'));
      expect(stdout).toMatch(/^<!doctype html>\n<html lang="th">/);
      expect(stdout).toContain('@page { size: A4');
      expect(stdout).not.toMatch(/<script|<link|src=|SUM\(A1\)/);
      const lines = linesOf(stdout);
      expect(lines.slice(0, 6).map(([what = '', amount]) => [what.split('  ').at(-1), amount])).toEqual([
        ['Opening balance', '0.00'],
        ['Deposits', '100.00'],
        ['Ordered', '-70.00'],
        ['Refunds', '35.00'],
        ['Withdrawals and fees', '-5.05'],
        ['Closing balance', '59.95'],
      ]);
      const [, ...moved] = lines.slice(6);
      expect(moved.map((cells) => cells.slice(3))).toEqual([
        ['', '', '100.00'],
        ['35.00', '', '-35.00'],
        ['35.00', '35.00', '0.00'],
        ['', '', '-5.05'],
      ]);
      for (const [date] of moved) expect(date).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
      expect(moved[1]?.[1]).toMatch(/^ord_\w{16}$/);
      expect(moved[3]?.[2]).toBe('=back-1');
    });

    it('has times of Bangkok, and the merchant’s name as text', async () => {
      await stack.sql(`UPDATE merchants SET name = '<b>Ban & Co</b>' WHERE id = $1`, [merchant.id]);
      const { stdout } = await commandLine.run(...report(merchant, '2025-10', '--html'));
      expect(stdout).toContain('2025-10-01 00:00:00');
      expect(stdout).toContain('2025-10-31 23:59:59');
      expect(stdout).toContain('&#60;b&#62;Ban &#38; Co&#60;/b&#62;');
      expect(stdout).not.toContain('<b>');
    });

    it('is CSV with the same lines', async () => {
      const { stdout } = await commandLine.run(...report(shop, month, '--csv', '--per-order'));
      const [head, ...lines] = stdout.trimEnd().split('\n');
      expect(head).toBe('date,kind,order_number,reference_id,ordered_amount,refunded_amount,amount');
      expect(lines[0]).toBe(',opening,,,,,0.00');
      expect(lines.at(-1)).toBe(',closing,,,,,59.95');
      expect(lines.slice(1, -1).map((line) => line.split(',').slice(4))).toEqual([
        ['', '', '100.00'],
        ['35.00', '', '-35.00'],
        ['35.00', '35.00', '0.00'],
        ['', '', '-5.05'],
      ]);
      const amounts = lines.slice(1, -1).map((line) => Number(line.split(',').at(-1)));
      expect(amounts.reduce((sum, each) => sum + each, 0)).toBeCloseTo(59.95);
    });

    it('is one format at a time', () =>
      commandLine.refusedAll([
        [report(shop, month, '--html', '--csv'), 'error: choose one: --csv or --html\n'],
        [report(shop, month, '--html', '--json'), 'error: choose one: --html or --json\n'],
        [report(shop, month, '--per-order'), /--per-order is for --csv/],
      ]));
  });

  it('refuses invalid months, and months that have not begun', async () => {
    await commandLine.refusedAll([
      [report(merchant, '2025-13'), /It must be a month such as 2027-01/],
      [report(merchant, '2090-01'), /2090-01 has not begun in Asia\/Bangkok/],
      [report(merchant, '2025-10', '--csv'), 'error: choose one: --csv or --json\n'],
    ]);
  });
});
