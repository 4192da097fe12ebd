import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { CommandLine } from '../cli/command-line.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { askLater, bought } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

interface Attempt {
  number: number;
  supplier: string;
  supplier_sku: string;
  reference: string;
  supplier_reference: string | null;
  state: string;
  cost: string | null;
  currency: string | null;
  failure_code: string | null;
}

let stack: TestStack;
let commandLine: CommandLine;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
  merchant = await stack.merchant('10000.00');
  sku = await stack.product('35.00', { supplierSku: 'their-sku' });
});

afterAll(() => closeWithBalancedBooks(stack));

async function attemptsOf({ order_number }: OrderBody): Promise<Attempt[][]> {
  const { units } = await commandLine.json<{ units: { attempts_detail: Attempt[] }[] }>('order', 'show', order_number);
  return units.map(({ attempts_detail }) => attempts_detail);
}

const attempt = ({ order_number }: OrderBody, more: Partial<Attempt> = {}): Attempt => ({
  number: 1,
  supplier: 'fake',
  supplier_sku: 'their-sku',
  reference: `${order_number}.1.1`,
  supplier_reference: null,
  state: 'sending',
  cost: null,
  currency: null,
  failure_code: null,
  ...more,
});

/** Leaves an order's units as the previous version does. Triggers are off, because they refuse this. */
const forgetAttempts = ({ order_number }: OrderBody): Promise<void> =>
  stack.fill(`
    SET session_replication_role = replica;
    DELETE FROM unit_attempts WHERE reference LIKE '${order_number}.%';
    UPDATE order_units SET attempt = 0 WHERE order_id = (SELECT id FROM orders WHERE order_number = '${order_number}')`);

describe('8.2 One reference per attempt', () => {
  it('is committed before the first send under it', async () => {
    const user = unique('player');
    const seen: unknown[] = [];
    stack.supplier.script(user, async ({ reference }) => {
      seen.push(...(await stack.sql('SELECT reference FROM unit_attempts WHERE reference = $1', [reference])));
      return bought(reference);
    });
    const placed = await stack.order(merchant, [{ sku }], user);
    const order = await stack.orderWith(merchant, placed.reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    expect(seen).toEqual([{ reference }]);
    const supplier_reference = `S-${reference}`;
    expect(await attemptsOf(order)).toEqual([[attempt(order, { state: 'succeeded', supplier_reference })]]);
  });

  it('is the same in every send and inquiry; the supplier’s reference is stored once it is known', async () => {
    const user = unique('player');
    let reported: object | null = null;
    stack.supplier.script(user, ({ kind, reference }) =>
      kind === 'send' || !reported ? 'drop' : { status: 200, body: { reference, ...reported } },
    );
    const order = await stack.order(merchant, [{ sku }], user);
    const stands = async (state: string): Promise<Attempt[][]> => {
      const look = async (): Promise<Attempt[][]> => {
        await makeDue(stack, order);
        return attemptsOf(order);
      };
      return eventually(look, ([attempts]) => attempts?.[0]?.state === state);
    };
    expect(await stands('unknown')).toEqual([[attempt(order, { state: 'unknown' })]]);
    reported = { status: 'processing', supplier_reference: 'S-early' };
    expect(await stands('processing')).toEqual([
      [attempt(order, { state: 'processing', supplier_reference: 'S-early' })],
    ]);
    reported = { status: 'failed', failure_code: 'OUT_OF_STOCK' };
    expect(await stands('failed')).toEqual([
      [attempt(order, { state: 'failed', supplier_reference: 'S-early', failure_code: 'OUT_OF_STOCK' })],
    ]);
    const references = stack.supplier.about(order.order_number).map(({ reference }) => reference);
    expect(new Set(references)).toEqual(new Set([`${order.order_number}.1.1`]));
  });

  it('is withdrawn when an operator cancels a unit that no supplier accepted', async () => {
    const user = unique('player');
    stack.supplier.script(user, () => ({ status: 429, headers: { 'retry-after': '600' } }));
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () =>
        stack.sql(`SELECT FROM supplier_calls c JOIN orders o ON o.id = c.order_id WHERE o.order_number = $1`, [
          order.order_number,
        ]),
      ({ length }) => length === 1,
    );
    expect(await attemptsOf(order)).toEqual([[attempt(order)]]);
    await commandLine.json('order', 'cancel', order.order_number, '--reason', 'test');
    const failure_code = 'CANCELLED_BY_OPERATOR';
    expect(await attemptsOf(order)).toEqual([[attempt(order, { state: 'withdrawn', failure_code })]]);
  });
});

describe('An attempt', () => {
  it.each(['DELETE FROM unit_attempts', `UPDATE unit_attempts SET reference = 'other'`])(
    'is kept as it was made: the database refuses %s',
    async (statement) => {
      await expect(stack.sql(statement)).rejects.toThrow('an attempt is kept as it was made');
    },
  );
});

describe('A unit that the previous version sent', () => {
  it('is queried under the reference of that send, which is then stored as an attempt', async () => {
    const user = unique('player');
    stack.supplier.script(user, ({ kind, reference }) => (kind === 'send' ? askLater : bought(reference)));
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => attemptsOf(order),
      ([attempts]) => attempts?.[0]?.state === 'unknown',
    );
    await forgetAttempts(order);
    await makeDue(stack, order);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const recorded = await stack.sql('SELECT number, reference FROM unit_attempts WHERE reference LIKE $1', [
      `${order.order_number}%`,
    ]);
    expect(recorded).toEqual([{ number: 1, reference: `${order.order_number}.1.1` }]);
  });

  it('shows its attempt even if the previous version settled it', async () => {
    const placed = await stack.order(merchant, [{ sku }]);
    const order = await stack.orderWith(merchant, placed.reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    await forgetAttempts(order);
    const supplier_reference = `S-${reference}`;
    expect(await attemptsOf(order)).toEqual([[attempt(order, { state: 'succeeded', supplier_reference })]]);
  });
});
