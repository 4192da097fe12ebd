import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bought, refused } from '../support/fake-supplier.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

type Line = Record<string, string | number | null>;

interface Daily {
  ok: boolean;
  from: string;
  to: string;
  merchants: Line[];
  total: Line;
  differences: string[];
}

let stack: TestStack;
let commandLine: CommandLine;
let shop: TestMerchant;
let idle: TestMerchant;
/** A merchant who ordered before the others. */
let regular: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
  shop = await stack.merchant('1000.00');
  idle = await stack.merchant('50.00');
  regular = await stack.merchant('500.00');
  const sku = await stack.product('35.00');
  await orderTwoDaysAgo(sku);
  stack.supplier.script('unlucky', ({ reference }) =>
    reference.endsWith('.2') ? refused(reference, 'OUT_OF_STOCK') : bought(reference),
  );
  const completed = await stack.order(shop, [{ sku, quantity: 2 }]);
  const partial = await stack.order(shop, [{ sku, quantity: 2 }], 'unlucky');
  await stack.orderWith(shop, completed.reference_id, 'completed');
  await stack.orderWith(shop, partial.reference_id, 'failed');
  await stack.stopWorkers();
  await stack.order(shop, [{ sku, quantity: 3 }]);
});

afterAll(() => stack.close());

/** Three orders: one completed and one failed on the same day, and one completed today. */
async function orderTwoDaysAgo(sku: string): Promise<void> {
  stack.supplier.script('nobody', ({ reference }) => refused(reference, 'INVALID_PLAYER'));
  const completed = await stack.order(regular, [{ sku }]);
  const failed = await stack.order(regular, [{ sku }], 'nobody');
  await stack.orderWith(regular, completed.reference_id, 'completed');
  await stack.orderWith(regular, failed.reference_id, 'failed');
  await stack.stopWorkers();
  const late = await stack.order(regular, [{ sku }]);
  await backdate();
  await stack.startWorker();
  await stack.orderWith(regular, late.reference_id, 'completed');
}

/** Moves all rows so far to two days ago. Triggers are off, because they refuse this. */
async function backdate(): Promise<void> {
  await stack.sql(`
    DO $$ BEGIN
      SET LOCAL session_replication_role = 'replica';
      UPDATE transfers SET created_at = created_at - interval '2 days';
      UPDATE merchants SET created_at = created_at - interval '2 days';
      UPDATE orders SET created_at = created_at - interval '2 days', updated_at = updated_at - interval '2 days';
    END $$`);
}

/** A time zone in which it is about noon, so that no test runs over midnight. */
const offset = 12 - new Date().getUTCHours();
const timezone = `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`;
const dayOf = (daysAgo: number): string =>
  new Date(Date.now() + offset * 3_600_000 - daysAgo * 86_400_000).toISOString().slice(0, 10);
const daily = (daysAgo: number, ...options: string[]): string[] => [
  'report',
  'daily',
  '--date',
  dayOf(daysAgo),
  '--timezone',
  timezone,
  ...options,
];
const several = (first: number, last: number): string[] => [
  'report',
  'daily',
  '--from',
  dayOf(first),
  '--to',
  dayOf(last),
  '--timezone',
  timezone,
];

describe('topup report daily', () => {
  it('shows each merchant’s movements of a day, and closes with the balance of the wallet', async () => {
    const report = await commandLine.json<Daily>(...daily(0));
    expect(Object.keys(report)).toEqual([
      'ok',
      'date',
      'timezone',
      'from',
      'to',
      'merchants',
      'total',
      'differences',
      'archived_orders',
    ]);
    expect({ ok: report.ok, differences: report.differences }).toEqual({ ok: true, differences: [] });
    expect(Date.parse(report.to) - Date.parse(report.from)).toBe(86_400_000);
    const figures = {
      orders: 3,
      completed: 1,
      failed: 1,
      opening_amount: '1000.00',
      credited_amount: '0.00',
      debited_amount: '0.00',
      spent_amount: '105.00',
      closing_amount: '895.00',
      ordered_amount: '245.00',
      refunded_amount: '35.00',
      opening_available_amount: '1000.00',
      opening_held_amount: '0.00',
      closing_available_amount: '790.00',
      closing_held_amount: '105.00',
    };
    expect(report.merchants[0]).toEqual({
      merchant_id: shop.id,
      name: expect.any(String) as unknown as string,
      ...figures,
    });
    expect(await stack.wallet(shop)).toEqual({ available: '790.00', held: '105.00' });
    expect(report.merchants[1]).toMatchObject({ merchant_id: idle.id, orders: 0, closing_amount: '50.00' });
    expect(report.merchants[2]).toMatchObject({
      merchant_id: regular.id,
      orders: 0,
      completed: 1,
      failed: 0,
    });
    expect(report.total).toEqual({
      ...figures,
      completed: 2,
      opening_amount: '1515.00',
      opening_available_amount: '1480.00',
      opening_held_amount: '35.00',
      spent_amount: '140.00',
      closing_amount: '1375.00',
      closing_available_amount: '1270.00',
    });
  });

  it('opens a day with the closing balance of the day before', async () => {
    const [first, between] = await Promise.all([
      commandLine.json<Daily>(...daily(2)),
      commandLine.json<Daily>(...daily(1)),
    ]);
    const credited = { opening_amount: '0.00', credited_amount: '1550.00', closing_amount: '1515.00' };
    expect(first.total).toMatchObject({ orders: 3, completed: 1, failed: 1, ...credited });
    const nothing = { opening_amount: '1515.00', credited_amount: '0.00', closing_amount: '1515.00' };
    expect(between.total).toMatchObject({ orders: 0, completed: 0, failed: 0, ...nothing });
    expect(first.to).toBe(between.from);
  });

  it('has a line for each day and each merchant, with the first and the last day', async () => {
    const range = several(2, 0);
    const lines = await commandLine.json<Line[]>(...range);
    const days = await Promise.all([2, 1, 0].map((ago) => commandLine.json<Daily>(...daily(ago))));
    const expected = days.flatMap(({ merchants }, index) =>
      merchants.map((merchant) => ({ date: dayOf(2 - index), ...merchant })),
    );
    expect(lines).toEqual(expected);
    expect(Object.keys(lines[0] ?? {}).slice(0, 3)).toEqual(['date', 'merchant_id', 'name']);
    expect(await commandLine.json(...range, '--to', dayOf(2))).toEqual(lines.filter(({ date }) => date === dayOf(2)));

    const { code, stdout, stderr } = await commandLine.run(...range, '--csv');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toBe(Object.keys(lines[0] ?? {}).join(','));
    expect(rows.map((row) => row.split(',').slice(0, 2))).toEqual(
      lines.map(({ date, merchant_id }) => [date, String(merchant_id)]),
    );
    const tables = await commandLine.run(...range);
    expect(tables.stdout.match(/give the closing balances/g)).toHaveLength(3);
  });

  it.each([
    ['23 hours when clocks go forward', '2025-03-30', '2025-03-29T23:00:00.000Z', '2025-03-30T22:00:00.000Z'],
    ['25 hours when they go back', '2025-10-26', '2025-10-25T22:00:00.000Z', '2025-10-26T23:00:00.000Z'],
  ])('lasts from one local midnight to the next: %s', async (_hours, date, from, to) => {
    const report = await commandLine.json<Daily>('report', 'daily', '--date', date, '--timezone', 'Europe/Berlin');
    expect(report).toMatchObject({ ok: true, from, to });
  });

  it('is also CSV, and a table', async () => {
    await stack.sql(`UPDATE merchants SET name = 'Game "Shop", Bangkok' WHERE id = $1`, [shop.id]);
    const { code, stdout, stderr } = await commandLine.run(...daily(0, '--csv'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, first, , , total, ...rest] = stdout.split('\n');
    expect(head).toMatch(/^merchant_id,name,orders,completed,failed,opening_amount,credited_amount,/);
    expect(first).toMatch(
      new RegExp(`^${shop.id},"Game ""Shop"", Bangkok",3,1,1,1000\\.00,0\\.00,0\\.00,105\\.00,895\\.00,`),
    );
    expect(total).toMatch(/^,total,3,2,1,1515\.00,/);
    expect(rest).toEqual(['']);
    const table = await commandLine.run(...daily(0));
    expect(table.stdout).toMatch(/│ total +│ 3 +│ 2 +│ 1 +│ 1515\.00 │[^]+give the closing balances\.\n$/);
  });

  it('writes a name that a spreadsheet would run as a formula as text', async () => {
    await stack.sql(`UPDATE merchants SET name = '=HYPERLINK("http://evil.example","Shop")' WHERE id = $1`, [shop.id]);
    const { stdout } = await commandLine.run(...daily(0, '--csv'));
    expect(stdout.split('\n')[1]).toMatch(
      new RegExp(`^${shop.id},"'=HYPERLINK\\(""http://evil\\.example"",""Shop""\\)",3,1,1,1000\\.00,`),
    );
  });

  it('refuses invalid days', async () => {
    await commandLine.refusedAll([
      [['report', 'daily'], 'error: give either --date with a day, or --from and --to with two\n'],
      [['report', 'daily', '--date', '2026-02-30'], /such as 2027-01-31/],
      [['report', 'daily', '--date', '2090-01-01'], /2090-01-01 has not begun in Asia\/Bangkok/],
      [daily(0, '--to', dayOf(0)), /give either --date with a day, or --from and --to with two/],
      [['report', 'daily', '--from', '2026-01-15'], /give either --date with a day, or --from and --to/],
      [
        ['report', 'daily', '--from', '2026-01-15', '--to', '2026-01-14'],
        /2026-01-15 is after 2026-01-14: name the earlier day first/,
      ],
      [['report', 'daily', '--from', '2026-01-15', '--to', '2090-01-01'], /2090-01-01 has not begun/],
      [daily(0, '--timezone', 'Asia/Nowhere'), /the name of a time zone such as Asia\/Bangkok/],
      [daily(0, '--timezone', '+07:00'), /the name of a time zone/],
      [daily(0, '--csv'), /choose one: --csv or --json/],
    ]);
  });

  it('exits with 1 if balances and movements differ, and names the merchant', async () => {
    await stack.sql('UPDATE wallets SET held = held + 500 WHERE merchant_id = $1', [shop.id]);
    const { code, stdout, stderr } = await commandLine.run(...daily(0), '--json');
    const { ok, differences } = JSON.parse(stdout) as Daily;
    const difference =
      `merchant ${shop.id}, held: the opening balance and the day’s movements give 105.00, ` +
      'but the closing balance is 110.00';
    expect({ code, stderr, ok, differences }).toEqual({
      code: 1,
      stderr: '',
      ok: false,
      differences: [difference],
    });
    const csv = await commandLine.run(...daily(0, '--csv'));
    expect(csv).toMatchObject({ code: 1, stderr: `${difference}\n` });
    const range = await commandLine.run(...several(1, 0), '--json');
    expect({ code: range.code, lines: JSON.parse(range.stdout) as Line[] }).toMatchObject({ code: 1 });
    expect(range.stderr.split('\n')).toContain(`${dayOf(0)}: ${difference}`);
    const audit = await commandLine.run('audit');
    expect(audit).toMatchObject({ code: 1, stdout: expect.stringMatching(/held_balances +│ FAILED/) });
    await stack.sql('UPDATE wallets SET held = held - 500 WHERE merchant_id = $1', [shop.id]);
  });
});
