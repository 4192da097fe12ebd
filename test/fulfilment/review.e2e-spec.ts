import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Script } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;

/** The answer to every send and every inquiry about a player's units. */
const scripts: Record<string, Script> = {
  'unknown for ever': () => 'drop',
  'processing for ever': ({ reference }) => ({ status: 200, body: { reference, status: 'processing' } }),
  'never seen, within the quiet period': ({ kind }) => (kind === 'send' ? 'drop' : neverSeen),
  'one unit of three': ({ reference }) => (reference.endsWith('.1.2') ? 'drop' : bought(reference)),
};

const orders = new Map<string, OrderBody>();

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_REVIEW_AFTER_MS: '1000', SUPPLIER_QUIET_PERIOD_MS: '600000' });
  merchant = await stack.merchant('1000.00');
  const sku = await stack.product('35.00');
  for (const [name, script] of Object.entries(scripts)) {
    stack.supplier.script(name, script);
    orders.set(name, await stack.order(merchant, [{ sku, quantity: name.includes('three') ? 3 : 1 }], name));
  }
});

afterAll(() => closeWithBalancedBooks(stack));

interface Unit {
  unit: number;
  state: string;
  next_action_at: Date | null;
}

const units = (name: string): Promise<Unit[]> =>
  stack.sql<Unit>(
    `SELECT u.unit, u.state, u.next_action_at FROM order_units u JOIN orders o ON o.id = u.order_id
     WHERE o.order_number = $1 ORDER BY u.unit`,
    [orders.get(name)?.order_number],
  );

const inReview = (name: string): Promise<Unit[]> =>
  eventually(
    () => units(name),
    (all) => all.some(({ state }) => state === 'review'),
  );

describe('8.3 What is still unknown after SUPPLIER_REVIEW_AFTER_MS', () => {
  it.each(Object.keys(scripts).filter((name) => !name.includes('three')))(
    'waits for the operator: %s',
    async (name) => {
      expect(await inReview(name)).toEqual([{ unit: 1, state: 'review', next_action_at: null }]);
      const kinds = stack.supplier.about(orders.get(name)?.order_number ?? '').map(({ kind }) => kind);
      expect(kinds).toEqual(['send', 'inquiry']);
    },
  );

  it('is not refunded: its order is processing and its money held', async () => {
    const { reference_id, order_number } = orders.get('unknown for ever') as OrderBody;
    await inReview('unknown for ever');
    const order = await stack.orderWith(merchant, reference_id, 'processing');
    expect(order).toMatchObject({ failure_code: null, failure_message: null });
    expect(order.items).toMatchObject([{ status: 'processing', completed_quantity: 0, failed_quantity: 0 }]);
    const kinds = await stack.sql(
      'SELECT kind FROM transfers WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)',
      [order_number],
    );
    expect(kinds).toEqual([{ kind: 'order_hold' }]);
  });

  it('does not stop the other units of its order: they are bought', async () => {
    const all = await eventually(
      () => units('one unit of three'),
      (found) => found.every(({ state }) => state === 'succeeded' || state === 'review'),
    );
    expect(all.map(({ state }) => state)).toEqual(['succeeded', 'review', 'succeeded']);
    const { reference_id } = orders.get('one unit of three') as OrderBody;
    const order = await stack.orderWith(merchant, reference_id, 'processing');
    expect(order.items).toMatchObject([{ status: 'processing', completed_quantity: 2, failed_quantity: 0 }]);
  });

  it('does not stop other orders', async () => {
    await inReview('unknown for ever');
    const sku = await stack.product('1.00');
    const { reference_id } = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, reference_id, 'completed');
  });
});
