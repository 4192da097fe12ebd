import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

/** Longer than this takes: what ends a quiet period here is the moment of its last send, which the tests move. */
const TIMEOUT_MS = 20_000;
const QUIET_MS = TIMEOUT_MS + 10_000;

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_QUIET_PERIOD_MS: String(QUIET_MS) });
  await stack.addSupplier('fake', stack.supplier.url, TIMEOUT_MS);
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const kinds = ({ order_number }: OrderBody): string[] => stack.supplier.about(order_number).map(({ kind }) => kind);

const requests = (order: OrderBody, count: number): Promise<string[]> =>
  eventually(
    () => kinds(order),
    ({ length }) => length >= count,
  );

const isOf = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';

/** As the last send was so long ago. */
const sentAgo = ({ order_number }: OrderBody, ms: number): Promise<object[]> =>
  stack.sql(`UPDATE order_units SET last_sent_at = now() - $2 * interval '1 ms' WHERE ${isOf}`, [order_number, ms]);

/** Waits until the answer to the latest inquiry is recorded: until then, a send that is moved back was before that inquiry. */
const untilAnswered = ({ order_number }: OrderBody): Promise<object[]> =>
  eventually(
    () => stack.sql(`SELECT FROM order_units WHERE claimed_by IS NULL AND inquiries > 0 AND ${isOf}`, [order_number]),
    ({ length }) => length === 1,
  );

/** Waits until the last send was so long ago. */
const untilSentAgo = ({ order_number }: OrderBody, ms: number): Promise<object[]> =>
  eventually(
    () =>
      stack.sql(`SELECT FROM order_units WHERE last_sent_at < now() - $2 * interval '1 ms' AND ${isOf}`, [
        order_number,
        ms,
      ]),
    ({ length }) => length === 1,
  );

describe('8.3 A supplier that is asked before the end of the quiet period', () => {
  it('and says after it that it never saw the unit, says nothing of what arrived in between', async () => {
    const asked = deferred<Answer>();
    stack.supplier.script('slow to look', ({ kind, reference }, { length }) => {
      if (length === 0) return 'drop';
      if (length === 1) return asked.promise;
      // It was sold while the supplier was about to say that it was never seen.
      return kind === 'inquiry' ? bought(reference) : { status: 422, body: { failure_code: 'OUT_OF_STOCK' } };
    });
    const order = await stack.order(merchant, [{ sku }], 'slow to look');
    await requests(order, 2);
    await sentAgo(order, QUIET_MS - 500);
    await untilSentAgo(order, QUIET_MS);
    asked.resolve(neverSeen);
    const { status } = await stack.orderWith(merchant, order.reference_id, 'completed', 'failed');
    expect(kinds(order)).toEqual(['send', 'inquiry', 'inquiry']);
    expect(status).toBe('completed');
  });

  it('is believed when it is asked after it', async () => {
    stack.supplier.script('looks again', ({ kind, reference }, { length }) => {
      if (length === 0) return 'drop';
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await stack.order(merchant, [{ sku }], 'looks again');
    await requests(order, 2);
    await untilAnswered(order);
    await sentAgo(order, QUIET_MS);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(kinds(order)).toEqual(['send', 'inquiry', 'inquiry', 'send']);
  });
});
