import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { neverSeen, refused } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({
    DATABASE_URL: stack.config.DATABASE_URL,
    SECRETS_KEY: stack.config.secretsKey?.toString('base64') ?? '',
  });
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

interface Reversal {
  id: number;
  order_number: string;
  kind: string;
  status: string;
}

interface Audit {
  ok: boolean;
  checks: { name: string; ok: boolean; detail: string }[];
}

/** A discrepancy: the unit was bought, and its supplier reports a failure to the query of the report. */
async function takenBack(): Promise<{ order: OrderBody; reversal: Reversal }> {
  const user = unique('player');
  const order = await stack.order(merchant, [{ sku }], user);
  await stack.orderWith(merchant, order.reference_id, 'completed');
  stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  const report = await commandLine.run('report', 'supplier', '--json');
  expect(report.code).toBe(1);
  const found = await commandLine.json<Reversal[]>('reversal', 'list', '--open');
  const reversal = found.find(({ order_number }) => order_number === order.order_number);
  if (!reversal) throw new Error('there is no case');
  return { order, reversal };
}

const audit = async (): Promise<Audit['checks'][number] | undefined> => {
  const { stdout } = await commandLine.run('audit', '--json');
  return (JSON.parse(stdout) as Audit).checks.find(({ name }) => name === 'supplier_reversals');
};

describe('a discrepancy about a settled unit', () => {
  it('is shown by the report, by the audit and in the order’s history, until the discrepancy is closed', async () => {
    const { order, reversal } = await takenBack();
    expect(reversal).toEqual({
      id: expect.any(Number),
      order_number: order.order_number,
      merchant_id: merchant.id,
      unit: '1.1',
      archived: false,
      supplier: 'fake',
      kind: 'taken_back',
      amount: null,
      currency: null,
      supplier_reference: null,
      reference: null,
      supplier_sku: null,
      player: null,
      bought_at: null,
      reported: 'failed',
      detail: 'found by topup report supplier',
      handed_over: false,
      status: 'open',
      created_at: expect.any(String),
    });
    expect(await audit()).toMatchObject({ ok: false, detail: expect.stringContaining(order.order_number) });
    const { stdout } = await commandLine.run('report', 'supplier', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, suppliers: [{ ok: false, open_cases: 1 }] });
    const { timeline } = await commandLine.json<{ timeline: { event: string }[] }>('order', 'show', order.order_number);
    expect(timeline.map(({ event }) => event)).toContain('supplier.taken_back');

    await commandLine.json('reversal', 'close', String(reversal.id), '--reason', 'returned to our deposit');
    expect(await audit()).toMatchObject({ ok: true });
    expect(await commandLine.json('reversal', 'list', '--open')).toEqual([]);
    // A second query has the same result, which is known by now.
    await commandLine.run('report', 'supplier', '--json');
    expect(await commandLine.json('reversal', 'list', '--open')).toEqual([]);
  });

  it('may be closed with a credit to the merchant, once, with the reason in the audit log', async () => {
    const { reversal } = await takenBack();
    const before = await stack.wallet(merchant);
    const args = ['reversal', 'close', String(reversal.id), '--credit', '35.00', '--reason', 'ticket 4711'];
    expect(await commandLine.json(...args)).toMatchObject({ id: reversal.id, status: 'closed' });
    const after = await stack.wallet(merchant);
    expect(Number(after.available) - Number(before.available)).toBe(35);
    expect(await commandLine.refused(...args)).toMatch(/closed already/);
    expect(await stack.wallet(merchant)).toEqual(after);
    const log = await commandLine.json<{ action: string; detail: object }[]>('log');
    expect(log.find(({ action }) => action === 'reversal.close')).toMatchObject({
      reason: 'ticket 4711',
      detail: { reversal_id: reversal.id, kind: 'taken_back', unit: '1.1', credit: '35.00' },
    });
    expect(await commandLine.refused('reversal', 'close', '999999', '--reason', 'none')).toMatch(
      /no reversal 999999: topup reversal list shows them/,
    );
  });
});

describe('topup reversal close', () => {
  it('gives its credit even if another credit has the discrepancy’s number, as after a restore from a backup', async () => {
    const { reversal } = await takenBack();
    const { id } = reversal;
    const other = ['wallet', 'credit', '--merchant', `${merchant.id}`, '--amount', '20.00'];
    await commandLine.json(...other, '--reference', `reversal-${id}`);
    const before = await stack.wallet(merchant);
    await commandLine.json('reversal', 'close', `${id}`, '--credit', '35.00', '--reason', 'ticket 4712');
    expect(Number((await stack.wallet(merchant)).available) - Number(before.available)).toBe(35);
  });

  it('gives no second credit, and names the operator of the first, if that was entered by hand with its reference', async () => {
    const { reversal } = await takenBack();
    const { id } = reversal;
    const [opened] = await stack.sql<{ at: Date }>('SELECT created_at AS at FROM supplier_reversals WHERE id = $1', [
      id,
    ]);
    const reference = `reversal-${id}-${opened?.at.toISOString().replace(/[-:.]/g, '')}`;
    const again = ['wallet', 'credit', '--merchant', `${merchant.id}`, '--amount', '35.00'];
    await commandLine.json(...again, '--reference', reference, '--operator', 'alice');
    const before = await stack.wallet(merchant);
    const args = ['reversal', 'close', `${id}`, '--credit', '35.00', '--reason', 'ticket 4713', '--json'];
    const { code, stdout, stderr } = await commandLine.run(...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('credited before, by alice at ')]);
    expect(JSON.parse(stdout)).toMatchObject({ id, status: 'closed', credited_before: { by: 'alice' } });
    expect(await stack.wallet(merchant)).toEqual(before);
    const log = await commandLine.json<{ action: string; detail: object }[]>('log');
    expect(log.find(({ action }) => action === 'reversal.close')?.detail).toMatchObject({
      reversal_id: id,
      credit: null,
      credited_before: { by: 'alice' },
    });
  });

  it('closes several discrepancies, except one that is already closed', async () => {
    const [one, other, third] = [await takenBack(), await takenBack(), await takenBack()];
    const ids = [one, other, third].map(({ reversal }) => `${reversal.id}`);
    await commandLine.json('reversal', 'close', ids[1] ?? '', '--reason', 'by another operator');
    const close = ['reversal', 'close', ...ids, ids[0] ?? '', '--reason', 'claimed'];
    const { code, stdout, stderr } = await commandLine.run(...close, '--json');
    expect([code, stderr]).toEqual([0, `reversal ${ids[1]} is closed already\n`]);
    expect((JSON.parse(stdout) as Reversal[]).map(({ id }) => `${id}`)).toEqual([ids[0], ids[2]]);
    expect(await commandLine.json('reversal', 'list', '--open')).toEqual([]);
    const each = ids.map((id) => `\n  reversal ${id} is closed already`);
    expect(await commandLine.refused(...close)).toBe(`error: nothing was closed:${each.join('')}\n`);
  });

  it('closes none of several if one does not exist', async () => {
    const [one, other] = [await takenBack(), await takenBack()];
    const ids = [one, other].map(({ reversal }) => `${reversal.id}`);
    const close = (...those: string[]): string[] => ['reversal', 'close', ...those, '--reason', 'claimed'];
    expect(await commandLine.refused(...close(ids[0] ?? '', '999999', ids[1] ?? ''))).toMatch(
      /no reversal 999999: topup reversal list shows them/,
    );
    expect(await commandLine.json<Reversal[]>('reversal', 'list', '--open')).toHaveLength(2);
    expect(await commandLine.json<Reversal[]>(...close(...ids))).toHaveLength(2);
  });
});

describe('topup supplier set', () => {
  const set = (...args: string[]): string[] => ['supplier', 'set', '--code', 'fake', '--adapter', 'http', ...args];

  it('refuses a timeout that is too long for SUPPLIER_QUIET_PERIOD_MS, and names the limits of both', async () => {
    const before = await commandLine.json('supplier', 'list');
    expect(await commandLine.refused(...set('--base-url', stack.supplier.url, '--timeout-ms', '27001'))).toMatch(
      /27001 ms needs a SUPPLIER_QUIET_PERIOD_MS of at least 30001.*at most 27000 ms/,
    );
    expect(await commandLine.json('supplier', 'list')).toEqual(before);
    await commandLine.json(...set('--base-url', stack.supplier.url, '--timeout-ms', '27000'));
  });

  it('shows the number of open units when the address changes, and prompts on a terminal', async () => {
    const user = unique('player');
    stack.supplier.script(user, ({ kind }) => (kind === 'send' ? 'drop' : neverSeen));
    const order = await stack.order(merchant, [{ sku, quantity: 2 }], user);
    await eventually(
      () => stack.sql(`SELECT FROM order_units WHERE state = 'unknown'`),
      ({ length }) => length === 2,
    );
    const move = set('--base-url', 'http://127.0.0.1:1');
    const { code, screen } = await commandLine.prompted(move, 'n\n');
    expect(screen).toMatch(/2 open units, 2 of them in doubt/);
    expect(code).toBe(1);
    expect(await commandLine.json<{ base_url: string }[]>('supplier', 'list')).toMatchObject([
      { base_url: stack.supplier.url },
    ]);
    const moved = await commandLine.run(...move);
    expect(moved.stderr).toMatch(/2 open units, 2 of them in doubt/);
    await commandLine.run(...set('--base-url', stack.supplier.url));
    const asJson = await commandLine.run(...move, '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ code: 'fake', base_url: 'http://127.0.0.1:1' });
    expect(asJson.stderr).toMatch(/2 open units, 2 of them in doubt/);
    await commandLine.run(...set('--base-url', stack.supplier.url));
    stack.supplier.script(user, ({ reference }) => ({
      status: 200,
      body: { reference, status: 'succeeded' },
    }));
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});
