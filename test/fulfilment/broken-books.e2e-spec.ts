import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/core/metrics.js';
import { OrderSettlementService } from '../../src/orders/order-settlement.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, refused, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody } from '../support/stack.js';
import { untilServed } from '../support/until-served.js';

let stack: TestStack;
let worker: INestApplicationContext;
let sku: string;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  stack = await TestStack.start({ LOG_LEVEL: 'error' }, { worker: false, logTo });
  worker = await stack.startWorker();
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

/** Changes rows that the service cannot change: triggers and foreign keys are off. */
async function tamper(statement: string, values: unknown[]): Promise<void> {
  const client = await stack.database.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query(statement, values);
  } finally {
    client.release(true);
  }
}

interface Unit {
  order_id: bigint;
  state: string;
}

async function unitOf({ order_number }: OrderBody): Promise<Unit> {
  const [unit] = await stack.sql<Unit>(
    `SELECT u.order_id, u.state FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1`,
    [order_number],
  );
  if (!unit) throw new Error(`order ${order_number} has no unit`);
  return unit;
}

const transfersOf = (merchantId: number): Promise<{ kind: string }[]> =>
  stack.sql('SELECT kind FROM transfers WHERE merchant_id = $1 ORDER BY id', [merchantId]);

async function brokenInvariants(process: INestApplicationContext): Promise<number> {
  const metric = await process.get(Metrics).registry.getSingleMetric('topup_broken_invariants_total')?.get();
  return metric?.values[0]?.value ?? NaN;
}

const reported = (): unknown[] =>
  lines.filter(({ msg }) => String(msg).includes('rolled back')).map(({ err }) => (err as Error).message);

describe('a broken invariant', () => {
  it.each<[string, { tampered: string; mended: string; invariant: string; answer: (id: string) => Answer }]>([
    [
      'a wallet that is gone',
      {
        tampered: 'UPDATE wallets SET merchant_id = -merchant_id WHERE merchant_id = $1',
        mended: 'UPDATE wallets SET merchant_id = -merchant_id WHERE merchant_id = -$1::int',
        invariant: 'a merchant has a wallet',
        answer: (reference) => refused(reference, 'OUT_OF_STOCK'),
      },
    ],
    [
      'an order whose total is not what its pieces cost',
      {
        tampered: `UPDATE orders SET discount_amount = discount_amount + 1, total_amount = total_amount - 1
                   WHERE merchant_id = $1`,
        mended: `UPDATE orders SET discount_amount = discount_amount - 1, total_amount = total_amount + 1
                 WHERE merchant_id = $1`,
        invariant: 'what an ended order spends and returns is what it held',
        answer: bought,
      },
    ],
  ])('moves no money and leaves the unit to the operator: %s', async (_what, each) => {
    const { tampered, mended, invariant, answer } = each;
    const merchant = await stack.merchant('100.00');
    const called = deferred<string>();
    const tamperedWith = deferred<undefined>();
    const user = unique('player');
    stack.supplier.script(user, async ({ reference }) => {
      called.resolve(reference);
      await tamperedWith.promise;
      return answer(reference);
    });
    const order = await stack.order(merchant, [{ sku }], user);
    await called.promise;
    const counted = await brokenInvariants(worker);
    await tamper(tampered, [merchant.id]);
    tamperedWith.resolve(undefined);

    const { order_id: orderId } = await eventually(
      () => unitOf(order),
      ({ state }) => state === 'review',
    );
    expect(await transfersOf(merchant.id)).toEqual([{ kind: 'credit' }, { kind: 'order_hold' }]);
    expect(await brokenInvariants(worker)).toBeGreaterThan(counted);
    expect(reported()).toContain(`broken invariant: ${invariant}`);

    await tamper(mended, [merchant.id]);
    const settled = await stack.api.get(OrderSettlementService).settle({
      key: { orderId, item: 1, unit: 1 },
      merchantId: merchant.id,
      by: { kind: 'operator' },
      outcome: { kind: 'failed', code: 'OUT_OF_STOCK', message: 'settled by hand' },
    });
    expect(settled).toBe('settled');
    expect(await stack.wallet(merchant)).toEqual({ available: '100.00', held: '0.00' });
  });

  it('refuses orders of the merchant whose wallet is missing, and of no other merchant', async () => {
    const [broken, sound] = [await stack.merchant('100.00'), await stack.merchant('200.00')];
    await tamper('UPDATE wallets SET merchant_id = -merchant_id WHERE merchant_id = $1', [broken.id]);
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    const [refusedOrder, ...orders] = await Promise.all(
      [broken, sound, sound, sound].map(({ client }, index) =>
        untilServed(() => client.post('/v1/orders', { ...request, reference_id: `${request.reference_id}-${index}` })),
      ),
    );
    expect([refusedOrder?.status, ...orders.map(({ status }) => status)]).toEqual([500, 200, 200, 200]);
    expect(await brokenInvariants(stack.api)).toBeGreaterThan(0);
    await tamper('UPDATE wallets SET merchant_id = -merchant_id WHERE merchant_id = -$1::int', [broken.id]);
    expect(await stack.wallet(broken)).toEqual({ available: '100.00', held: '0.00' });
  });
});
