import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, FakeSupplier, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

/** The default of SUPPLIER_MAX_IN_FLIGHT. */
const SLOTS = 64;

const ailing = new FakeSupplier();
let stack: TestStack;
let merchant: TestMerchant;
let sku: string;
let skuOfAiling: string;

beforeAll(async () => {
  stack = await TestStack.start();
  await ailing.listen();
  await stack.addSupplier('ailing', ailing.url, 120_000);
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
  skuOfAiling = await stack.product('35.00', { supplier: 'ailing' });
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await ailing.close();
});

const orders = (count: number, user: string): Promise<OrderBody[]> =>
  Promise.all(Array.from({ length: count }, () => stack.order(merchant, [{ sku: skuOfAiling }], user)));

describe('a supplier in trouble', () => {
  it('that hangs occupies only its own slots: workers buy from another supplier meanwhile', async () => {
    const user = unique('hanging');
    const well = deferred<void>();
    ailing.script(user, async ({ reference }) => {
      await well.promise;
      return bought(reference);
    });
    const stuck = await orders(70, user);
    await eventually(
      () => ailing.requests.length,
      (count) => count >= SLOTS,
    );
    const other = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, other.reference_id, 'completed');
    expect(ailing.requests).toHaveLength(SLOTS);
    well.resolve();
    for (const { reference_id } of stuck) await stack.orderWith(merchant, reference_id, 'completed');
  });

  it('that accepts no call gets few calls, and units are bought from it again once it accepts calls', async () => {
    const user = unique('refusing');
    let ill = true;
    ailing.script(user, ({ reference }): Answer =>
      ill ? { status: 429 } : { status: 200, body: { reference, status: 'succeeded', supplier_reference: 'S' } },
    );
    const before = ailing.requests.length;
    const waiting = await orders(40, user);
    // Each unit is sent once. Without pauses, each would be sent again after a second, and after two more: 80 calls.
    await eventually(
      () => ailing.requests.length - before,
      (calls) => calls >= 40,
    );
    const allSentMs = ailing.requests[before + 39]?.atMs ?? NaN;
    await eventually(
      () => ailing.requests.at(-1)?.atMs ?? NaN,
      (latestMs) => latestMs > allSentMs + 4_000,
    );
    // The breaker pauses for a second and more, and allows eight calls after each pause.
    const calls = ailing.requests.slice(before + 40).map(({ atMs }) => (atMs - allSentMs) / 1_000);
    for (const [index, seconds] of calls.entries()) expect(index).toBeLessThan(8 * (seconds + 2));
    ill = false;
    for (const { reference_id } of waiting) await stack.orderWith(merchant, reference_id, 'completed');
  });
});
