import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { askLater, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('1000.00');
});

afterAll(() => closeWithBalancedBooks(stack));

describe('8.3 A unit in doubt about which a paused supplier gets no call', () => {
  it.each([
    ['it waits to be sent again', 'operator', 'unknown', `next_action = 'send'`, 'http'],
    ['an inquiry about it could buy', 'operator', 'unknown', `next_action = 'inquire'`, 'digiflazz'],
    ['it waits for an inquiry', 'credentials', 'unknown', `next_action = 'inquire'`, 'http'],
    ['its worker died', 'ban', 'sending', `claimed_by = 'gone/1', unknown_since = NULL`, 'http'],
  ])('goes to review after SUPPLIER_REVIEW_AFTER_MS, if %s', async (_, pause, state, situation, adapter) => {
    const supplier = unique('paused');
    await stack.addSupplier(supplier, stack.supplier.url);
    const sku = await stack.product('35.00', { supplier });
    const user = unique('player');
    stack.supplier.script(user, () => askLater);
    const { order_number } = await stack.order(merchant, [{ sku, quantity: 2 }], user);
    const isOf = `order_id = (SELECT id FROM orders WHERE order_number = '${order_number}')`;
    // The first unit has been in doubt for 25 hours, and the second one for 22.
    const aged = `- interval '28 hours' + unit * interval '3 hours'`;
    const units = (): Promise<{ state: string }[]> =>
      stack.sql(`SELECT state FROM order_units WHERE ${isOf} AND claimed_by IS NULL ORDER BY unit`);
    await eventually(units, (all) => all.length === 2 && all.every((unit) => unit.state === 'unknown'));
    const paused = 'pause_reason = $2, paused_at = now(), adapter = $3';
    await stack.sql(`UPDATE suppliers SET ${paused} WHERE code = $1`, [supplier, pause, adapter]);
    await stack.sql(
      `UPDATE order_units SET next_action_at = now() + interval '1 hour',
         last_sent_at = last_sent_at ${aged}, unknown_since = unknown_since ${aged} WHERE ${isOf}`,
    );
    await stack.sql(`UPDATE order_units SET state = '${state}', ${situation}, next_action_at = now() WHERE ${isOf}`);

    const read = (): Promise<{ state: string }[]> =>
      stack.sql(`SELECT state FROM order_units WHERE ${isOf} ORDER BY unit`);
    expect(await eventually(read, ([first]) => first?.state === 'review')).toEqual([{ state: 'review' }, { state }]);
    const withheld = await eventually(
      () => stack.sql(`SELECT unit, detail FROM supplier_calls WHERE ${isOf} AND outcome = 'withheld'`),
      ({ length }) => length > 0,
    );
    expect(withheld).toEqual([{ unit: 1, detail: 'its supplier is paused, and it has been in doubt for too long' }]);
  });

  it('goes to review also if another unit that waits there can’t be settled', async () => {
    const supplier = unique('paused');
    await stack.addSupplier(supplier, stack.supplier.url);
    const sku = await stack.product('35.00', { supplier });
    const placed = async (answer: Answer, state: string): Promise<OrderBody> => {
      const user = unique('player');
      stack.supplier.script(user, () => answer);
      const order = await stack.order(merchant, [{ sku, quantity: 1 }], user);
      await eventually(
        () => stateOf(order),
        (unit) => unit?.state === state && unit.claimed_by === null && unit.is_sent,
      );
      return order;
    };
    const inDoubt = await placed(askLater, 'unknown');
    const queued = await placed({ status: 429, headers: { 'retry-after': '600' } }, 'queued');
    await stack.sql(`
      CREATE FUNCTION refuse_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no ends today'; END $$;
      CREATE TRIGGER tg_refuse_end BEFORE UPDATE ON order_units FOR EACH ROW
        WHEN (NEW.state = 'failed') EXECUTE FUNCTION refuse_end()`);
    try {
      await aged('orders', `id = ${orderId(queued)}`, 'created_at');
      await aged('order_units', `order_id = ${orderId(inDoubt)}`, 'last_sent_at', 'unknown_since');
      await stack.sql(
        `UPDATE suppliers SET pause_reason = 'credentials', paused_at = now() - interval '1 day' WHERE code = $1`,
        [supplier],
      );
      await stack.sql(`UPDATE order_units SET next_action_at = now() WHERE order_id = ${orderId(inDoubt)}`);
      await eventually(
        () => stateOf(inDoubt),
        (unit) => unit?.state === 'review',
      );
      expect(await stateOf(queued)).toMatchObject({ state: 'queued' });
    } finally {
      await stack.sql('DROP TRIGGER tg_refuse_end ON order_units');
    }
    await stack.orderWith(merchant, queued.reference_id, 'failed');
  });
});

const orderId = ({ order_number }: OrderBody): string =>
  `(SELECT id FROM orders WHERE order_number = '${order_number}')`;

/** Moves times back by more than a day. */
const aged = (table: string, which: string, ...columns: string[]): Promise<unknown> =>
  stack.sql(
    `UPDATE ${table} SET ${columns.map((column) => `${column} = ${column} - interval '25 hours'`).join(', ')} WHERE ${which}`,
  );

interface StoredUnit {
  state: string;
  claimed_by: string | null;
  is_sent: boolean;
}

const stateOf = async (order: OrderBody): Promise<StoredUnit | undefined> =>
  (
    await stack.sql<StoredUnit>(
      `SELECT state, claimed_by, first_sent_at IS NOT NULL AS is_sent FROM order_units WHERE order_id = ${orderId(order)}`,
    )
  )[0];
