import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

/** So long that no quiet period ends during a test, unless the test moves the time of the last send. */
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

/** Sets the time since the last send. */
const sentAgo = ({ order_number }: OrderBody, ms: number): Promise<object[]> =>
  stack.sql(`UPDATE order_units SET last_sent_at = now() - $2 * interval '1 ms' WHERE ${isOf}`, [order_number, ms]);

/** Waits until the answer to the latest inquiry is recorded. A send must not be moved to before an inquiry in flight. */
const untilAnswered = ({ order_number }: OrderBody): Promise<object[]> =>
  eventually(
    () => stack.sql(`SELECT FROM order_units WHERE claimed_by IS NULL AND inquiries > 0 AND ${isOf}`, [order_number]),
    ({ length }) => length === 1,
  );

/** Waits until so much time has passed since the last send. */
const untilSentAgo = ({ order_number }: OrderBody, ms: number): Promise<object[]> =>
  eventually(
    () =>
      stack.sql(`SELECT FROM order_units WHERE last_sent_at < now() - $2 * interval '1 ms' AND ${isOf}`, [
        order_number,
        ms,
      ]),
    ({ length }) => length === 1,
  );

describe('8.3 "Never seen"', () => {
  it('allows no second send if the inquiry began before the end of the quiet period, even if it ended after it', async () => {
    const asked = deferred<Answer>();
    stack.supplier.script('slow to look', ({ kind, reference }, { length }) => {
      if (length === 0) return 'drop';
      if (length === 1) return asked.promise;
      // The supplier sells the unit while it answers "never seen".
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

  it('allows a second send if the inquiry began after the end of the quiet period', async () => {
    stack.supplier.script('looks again', ({ kind, reference }, { length }) => {
      if (length === 0) return 'drop';
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await stack.order(merchant, [{ sku }], 'looks again');
    await requests(order, 2);
    await untilAnswered(order);
    await sentAgo(order, QUIET_MS);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const [sent, ...later] = kinds(order);
    // The first inquiry came too early. On a busy machine it was not the only one.
    expect(later.length).toBeGreaterThanOrEqual(3);
    expect([sent, new Set(later.slice(0, -1)), later.at(-1)]).toEqual(['send', new Set(['inquiry']), 'send']);
  });
});
