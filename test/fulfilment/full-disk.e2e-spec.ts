import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { bought } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody } from '../support/stack.js';

let stack: TestStack;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  // A call lasts until the test ends it.
  await stack.addSupplier('fake', stack.supplier.url, 120_000);
  sku = await stack.product('35.00');
  await stack.sql('CREATE SEQUENCE refused');
});

afterEach(() => stack.sql('DROP FUNCTION IF EXISTS refuse CASCADE'));
afterAll(() => closeWithBalancedBooks(stack));

/** Makes PostgreSQL refuse an event as it does when its disk is full, and counts the refusals. */
async function fillDiskFor(event: 'INSERT' | 'UPDATE', table: string): Promise<void> {
  await stack.sql(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM nextval('refused');
      RAISE EXCEPTION 'could not extend file "base/1/2": No space left on device' USING ERRCODE = 'disk_full';
    END $$`);
  await stack.sql(`CREATE TRIGGER refuse BEFORE ${event} ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`);
}

const roomAgain = (): Promise<object[]> => stack.sql('DROP FUNCTION refuse CASCADE');

async function countRefused(): Promise<number> {
  const [row] = await stack.sql<{ count: number }>(
    'SELECT CASE WHEN is_called THEN last_value ELSE 0 END::int AS count FROM refused',
  );
  return row?.count ?? 0;
}

describe('while the disk of PostgreSQL is full', () => {
  it('the API refuses an order with 503 and Retry-After, and accepts it once the disk has room', async () => {
    const merchant = await stack.merchant('100.00');
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    await fillDiskFor('INSERT', 'orders');
    const answer = await merchant.client.once.post('/v1/orders', request);
    expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await roomAgain();
    const placed = await merchant.client.post<OrderBody>('/v1/orders', request);
    expect(placed.status).toBe(200);
    expect(placed.headers.get('idempotent-replayed')).toBeNull();
  });

  it('a worker keeps a supplier’s answer until PostgreSQL can store it, so that no unit needs review', async () => {
    const merchant = await stack.merchant('100.00');
    const user = unique('player');
    const [called, isFull] = [deferred<undefined>(), deferred<undefined>()];
    stack.supplier.script(user, async ({ reference }) => {
      called.resolve(undefined);
      await isFull.promise;
      return bought(reference);
    });
    const order = await stack.order(merchant, [{ sku }], user);
    await called.promise;
    await fillDiskFor('UPDATE', 'order_units');
    const before = await countRefused();
    isFull.resolve(undefined);
    // The worker repeats the refused update.
    await eventually(countRefused, (count) => count > before + 1);
    await roomAgain();
    const ended = await eventually(
      () => merchant.client.get<OrderBody>(`/v1/orders/${order.reference_id}`),
      ({ body }) => body.status !== 'processing' && body.status !== 'pending',
    );
    expect(ended.body.status).toBe('completed');
    // The kept answer settled the unit: there was no further call.
    expect(stack.supplier.about(order.order_number)).toHaveLength(1);
  });
});
