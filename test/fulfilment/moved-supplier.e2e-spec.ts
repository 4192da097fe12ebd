import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { askLater, FakeSupplier, neverSeen } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

const SUPPLIER = 'moving';

let stack: TestStack;
let elsewhere: FakeSupplier;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  elsewhere = await new FakeSupplier().listen();
  merchant = await stack.merchant('10000.00');
  await stack.addSupplier(SUPPLIER, stack.supplier.url);
  sku = await stack.product('35.00', { supplier: SUPPLIER });
});

afterEach(() => stack.addSupplier(SUPPLIER, stack.supplier.url));

afterAll(() => closeWithBalancedBooks(stack, elsewhere));

const stateOf = async ({ order_number }: OrderBody): Promise<string | undefined> => {
  const [unit] = await stack.sql<{ state: string }>(
    `SELECT u.state FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1`,
    [order_number],
  );
  return unit?.state;
};

/** Ends the quiet period and makes the next inquiry due. */
const makeTimePass = (order: OrderBody): Promise<object[]> => makeDue(stack, order);

const sends = ({ order_number }: OrderBody): number =>
  stack.supplier.about(order_number).filter(({ kind }) => kind === 'send').length;

/** An order whose send to the supplier's first address has an unknown outcome. No inquiry follows until {@link makeTimePass}. */
async function inDoubt(user: string): Promise<OrderBody> {
  stack.supplier.script(user, ({ kind }) => (kind === 'send' ? askLater : neverSeen));
  const order = await stack.order(merchant, [{ sku }], user);
  await eventually(
    () => stateOf(order),
    (state) => state === 'unknown',
  );
  return order;
}

describe('8.3 A supplier whose key changes while a unit is in doubt', () => {
  const tokens = (order: OrderBody): (string | undefined)[] =>
    stack.supplier
      .about(order.order_number)
      .filter(({ kind }) => kind === 'send')
      .map(({ authorization }) => authorization);

  it('is not sent the unit again, because the new key may be of another account, which never saw the unit', async () => {
    await stack.addSupplier(SUPPLIER, stack.supplier.url, 10_000, 'k1');
    const order = await inDoubt(unique('player'));
    await stack.addSupplier(SUPPLIER, stack.supplier.url, 10_000, 'k2');
    await eventually(
      async () => {
        await makeTimePass(order);
        return stateOf(order);
      },
      (state) => state === 'review',
    );
    expect(tokens(order)).toEqual(['Bearer k1']);
  });

  it('is sent the unit again if the operator confirms that the account is the same', async () => {
    await stack.addSupplier(SUPPLIER, stack.supplier.url, 10_000, 'k1');
    const user = unique('player');
    const order = await inDoubt(user);
    stack.supplier.script(user, ({ kind, reference }) =>
      kind === 'send' ? { status: 200, body: { reference, status: 'succeeded' } } : neverSeen,
    );
    await stack.api.get(SuppliersService).set({
      code: SUPPLIER,
      adapter: 'http',
      baseUrl: stack.supplier.url,
      isSameAccount: true,
      credentials: { token: 'k2' },
    });
    await eventually(
      async () => {
        await makeTimePass(order);
        return stateOf(order);
      },
      (state) => state === 'succeeded',
    );
    expect(tokens(order)).toEqual(['Bearer k1', 'Bearer k2']);
  });
});

describe('8.3 A supplier whose address changes while a unit is in doubt', () => {
  it('is not sent the unit again, because the new address may never have seen it: the unit goes to review', async () => {
    const user = unique('player');
    const order = await inDoubt(user);
    elsewhere.script(order.order_number, ({ kind, reference }) =>
      kind === 'send' ? { status: 200, body: { reference, status: 'succeeded' } } : neverSeen,
    );
    await stack.addSupplier(SUPPLIER, elsewhere.url);
    await eventually(
      async () => {
        await makeTimePass(order);
        return stateOf(order);
      },
      (state) => state === 'review',
    );
    expect(elsewhere.about(order.order_number).filter(({ kind }) => kind === 'send')).toEqual([]);
    await eventually(
      () =>
        stack.sql(
          `SELECT FROM supplier_calls c JOIN orders o ON o.id = c.order_id
           WHERE c.outcome = 'withheld' AND o.order_number = $1`,
          [order.order_number],
        ),
      ({ length }) => length === 1,
    );
  });

  it('is not sent the unit again if it was asked at the new address while it was paused, and then moves back', async () => {
    const user = unique('player');
    const order = await inDoubt(user);
    elsewhere.script(order.order_number, () => neverSeen);
    const paused = (reason: string | null): Promise<object[]> =>
      stack.sql(
        `UPDATE suppliers SET pause_reason = $2, paused_at = CASE WHEN $2::text IS NOT NULL THEN now() END WHERE code = $1`,
        [SUPPLIER, reason],
      );
    await paused('operator');
    await stack.addSupplier(SUPPLIER, elsewhere.url);
    const decided = async (): Promise<object[]> => {
      await makeTimePass(order);
      return stack.sql(
        `SELECT u.state FROM order_units u JOIN orders o ON o.id = u.order_id
         WHERE o.order_number = $1 AND (u.state = 'review' OR u.next_action = 'send')`,
        [order.order_number],
      );
    };
    await eventually(decided, ({ length }) => length > 0);
    await stack.addSupplier(SUPPLIER, stack.supplier.url);
    await paused(null);
    await eventually(
      async () => {
        await makeTimePass(order);
        return stateOf(order);
      },
      (state) => state === 'review' || sends(order) > 1,
    );
    expect(sends(order)).toBe(1);
  });

  it('settles the unit by its answer if the new address knows it', async () => {
    const order = await inDoubt(unique('player'));
    elsewhere.script(order.order_number, ({ reference }) => ({
      status: 200,
      body: { reference, status: 'succeeded', supplier_reference: 'S-7' },
    }));
    await stack.addSupplier(SUPPLIER, elsewhere.url);
    await makeTimePass(order);
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('is sent the unit again if the address changes back', async () => {
    const user = unique('player');
    const order = await inDoubt(user);
    stack.supplier.script(user, ({ kind, reference }) =>
      kind === 'send' ? { status: 200, body: { reference, status: 'succeeded' } } : neverSeen,
    );
    const ended = eventually(
      async () => {
        await makeTimePass(order);
        return stateOf(order);
      },
      (state) => state === 'succeeded',
    );
    await ended;
  });

  it('is sent units that it certainly did not accept before', async () => {
    const user = unique('player');
    stack.supplier.script(user, () => ({ status: 429 }));
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => stack.supplier.about(order.order_number),
      ({ length }) => length > 0,
    );
    await stack.addSupplier(SUPPLIER, elsewhere.url);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(elsewhere.about(order.order_number)).toHaveLength(1);
  });
});
