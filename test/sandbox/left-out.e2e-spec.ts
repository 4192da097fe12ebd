import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CommandLine } from '../cli/command-line.js';
import { openManagementPort, Scrape } from '../ops/management.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { dayIn, NOON_ZONE } from '../support/days.js';
import { eventually } from '../support/eventually.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

type Line = Record<string, unknown>;

let stack: TestStack;
let commandLine: CommandLine;
/** Management ports. */
let ports: string[];
let tester: TestMerchant;
let shop: TestMerchant;
/** Orders of the sandbox: a completed one, and one that never ends. */
let done: OrderBody;
let lost: OrderBody;
/** The day in Bangkok on which the suite began. */
let firstDay: string;

beforeAll(async () => {
  firstDay = dayIn('Asia/Bangkok');
  stack = await TestStack.start({ SUPPLIER_REVIEW_AFTER_MS: '1' }, { worker: false });
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  ports = [await openManagementPort(stack.api, 0), await openManagementPort(await stack.startWorker(), 0)];
  [tester, shop] = [await stack.sandboxMerchant('500.00'), await stack.merchant('500.00')];
  const sku = await stack.product('35.00');
  await commandLine.json('merchant', 'set-alert', '--merchant', String(tester.id), '--below', '5000');
  done = await stack.order(tester, [{ sku }]);
  lost = await stack.order(tester, [{ sku }], 'sim-lost');
  await stack.orderWith(tester, done.reference_id, 'completed');
  const inReview = `SELECT FROM order_units WHERE state = 'review'`;
  await eventually(
    () => stack.sql(inReview),
    ({ length }) => length === 1,
  );
});

afterAll(() => closeWithBalancedBooks(stack));

/** The days of the suite, which may run over midnight. */
const sinceThen = (): string[] => ['--from', firstDay, '--to', dayIn('Asia/Bangkok')];

/** A scrape leaves out what PostgreSQL does not answer in time. */
const figure = (name: string): Promise<(number | undefined)[]> =>
  eventually(
    () => Promise.all(ports.map(async (port) => (await Scrape.of(port)).value(name))),
    (values) => !values.includes(undefined),
  );

describe('metrics leave out the sandbox', () => {
  it.each([
    'topup_orders_open',
    'topup_orders_oldest_open_seconds',
    'topup_units_review',
    'topup_units_unknown',
    'topup_wallets_below_alert',
    'topup_wallet_held_mismatch_baht',
  ])('%s is 0', async (name) => {
    expect(await figure(name)).toEqual([0, 0]);
  });

  it('has no orders, units and calls of the sandbox', async () => {
    for (const port of ports) {
      const scrape = await Scrape.of(port);
      for (const transition of ['placed', 'completed', 'failed'])
        expect(scrape.value('topup_orders_total', { transition })).toBe(0);
      for (const name of ['topup_units_total', 'topup_supplier_calls_total', 'topup_supplier_pause'])
        expect(scrape.samples(name)).toEqual([]);
    }
  });

  it('counts the orders of live merchants', async () => {
    const { reference_id } = await stack.order(shop, [{ sku: await stack.product('35.00') }]);
    await stack.orderWith(shop, reference_id, 'completed');
    const completed = async (): Promise<number> =>
      (await Scrape.of(ports[1] ?? '')).value('topup_orders_total', { transition: 'completed' }) ?? 0;
    expect(await eventually(completed, (count) => count > 0)).toBe(1);
  });
});

describe('reports leave sandbox merchants out unless asked for', () => {
  const whom = (lines: Line[]): unknown[] => [
    ...new Set(lines.map(({ merchant_id: id, merchant }) => id ?? Number(merchant))),
  ];

  it('report daily', async () => {
    const run = (...options: string[]): Promise<{ merchants: Line[]; total: Line }> =>
      commandLine.json('report', 'daily', '--date', dayIn(NOON_ZONE), '--timezone', NOON_ZONE, ...options);
    expect(whom((await run()).merchants)).toEqual([shop.id]);
    const all = await run('--include-sandbox');
    expect(whom(all.merchants)).toEqual([tester.id, shop.id]);
    expect(all.total).toMatchObject({ credited_amount: '1000.00' });
    const range = ['report', 'daily', ...sinceThen()];
    expect(whom(await commandLine.json<Line[]>(...range))).toEqual([shop.id]);
    expect(whom(await commandLine.json<Line[]>(...range, '--include-sandbox'))).toEqual([tester.id, shop.id]);
  });

  it('report margin', async () => {
    const run = (...options: string[]): Promise<Line[]> =>
      commandLine.json('report', 'margin', ...sinceThen(), '--by', 'merchant', ...options);
    expect(whom(await run())).toEqual([shop.id]);
    expect(whom(await run('--include-sandbox'))).toEqual([tester.id, shop.id]);
  });

  it('report supplier', async () => {
    const run = (...options: string[]): Promise<{ suppliers: Line[] }> =>
      commandLine.json('report', 'supplier', ...options);
    expect(JSON.stringify(await run())).not.toContain('sandbox');
    expect(JSON.stringify(await run('--include-sandbox'))).toContain('"sandbox"');
  });

  it('report statement shows the requested merchant', async () => {
    const month = dayIn('Asia/Bangkok').slice(0, 7);
    const whose = ['report', 'statement', '--merchant', String(tester.id), '--month', month];
    expect(await commandLine.json(...whose)).toMatchObject({ closing_amount: '430.00' });
  });
});

describe('sandbox orders, like others,', () => {
  it('are in the operators’ list, marked', async () => {
    const listed = await commandLine.json<{ order_number: string; sandbox?: true }[]>('order', 'list');
    const marked = new Map(listed.map(({ order_number: number, sandbox }) => [number, sandbox]));
    expect(marked.get(lost.order_number)).toBe(true);
    expect([...marked.values()]).toContain(undefined);
    const { stdout } = await commandLine.run('order', 'list');
    expect(stdout).toContain('│ sandbox │');
  });

  it('are checked by the audit', async () => {
    const { ok, checks } = await commandLine.json<{ ok: boolean; checks: { detail: string }[] }>('audit');
    expect(ok).toBe(true);
    expect(checks.map(({ detail }) => detail).join()).toMatch(/3 wallets|2 wallets/);
  });

  it('can be resolved and refunded by an operator', async () => {
    expect(await commandLine.json('order', 'show', lost.order_number)).toMatchObject({
      sandbox: true,
      units: [{ state: 'review', supplier: 'sandbox' }],
    });
    const resolve = ['order', 'resolve', lost.order_number, '--unit', '1.1', '--failed', 'OUT_OF_STOCK'];
    await commandLine.json(...resolve, '--reason', 'a trial', '--yes');
    expect((await stack.orderWith(tester, lost.reference_id, 'failed')).failure_code).toBe('OUT_OF_STOCK');
    expect((await stack.wallet(tester)).available).toBe('465.00');
  });
});
