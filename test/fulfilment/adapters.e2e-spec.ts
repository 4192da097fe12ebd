import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADAPTER_NAMES } from '../../src/suppliers/adapters.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { askLater, bought } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** Sets an adapter of all suppliers, as the next version may while it runs beside this one. */
const speakAs = (adapter: string): Promise<object[]> =>
  stack.sql('UPDATE suppliers SET adapter = $1 WHERE id > 0', [adapter]);

/** The calls about an order's unit, the oldest first. */
const callsFor = ({ order_number }: OrderBody): Promise<{ call: string; detail: string | null }[]> =>
  stack.sql(
    `SELECT c.kind || ' ' || c.outcome AS call, c.detail FROM ${SUPPLIER_CALLS} c JOIN orders o ON o.id = c.order_id
     WHERE o.order_number = $1 ORDER BY c.ended_at`,
    [order_number],
  );

const UNKNOWN_ADAPTER = `there is no adapter later: choose one of ${ADAPTER_NAMES.join(', ')}`;

describe('units of a supplier whose adapter a worker does not know', () => {
  it('wait, without a call, for a worker that knows the adapter', async () => {
    const user = unique('player');
    stack.supplier.script(user, ({ kind, reference }) => (kind === 'send' ? askLater : bought(reference)));
    const inDoubt = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => callsFor(inDoubt),
      ({ length }) => length === 1,
    );
    await speakAs('later');
    await makeDue(stack, inDoubt);
    const unsent = await stack.order(merchant, [{ sku }]);
    for (const order of [inDoubt, unsent]) {
      await eventually(
        () => callsFor(order),
        (calls) => calls.some(({ detail }) => detail === UNKNOWN_ADAPTER),
      );
    }
    expect(stack.supplier.about(unsent.order_number)).toEqual([]);
    expect(stack.supplier.about(inDoubt.order_number)).toHaveLength(1);

    await speakAs(ADAPTER_NAMES[0] ?? '');
    for (const order of [inDoubt, unsent]) await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(stack.supplier.about(unsent.order_number).map(({ kind }) => kind)).toEqual(['send']);
    expect(stack.supplier.about(inDoubt.order_number).map(({ kind }) => kind)).toEqual(['send', 'inquiry']);
    const calls = (await callsFor(unsent)).map(({ call }) => call);
    expect(new Set(calls)).toEqual(new Set(['send not_accepted', 'send succeeded']));
  });
});
