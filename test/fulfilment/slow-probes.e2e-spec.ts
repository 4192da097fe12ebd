import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred, type Deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, FakeSupplier, type Answer } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

/** Longer than any test waits, so that only a test ends a probe. */
const TIMEOUT_MS = 600_000;

const slow = new FakeSupplier();
let stack: TestStack;
let merchant: TestMerchant;
let answer: Deferred<Answer>;
let probes: number;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_QUIET_PERIOD_MS: `${TIMEOUT_MS + 3_000}` });
  merchant = await stack.merchant('1000.00');
  await slow.listen();
  await stack.addSupplier('slow', slow.url, TIMEOUT_MS);
});

afterEach(() => answer.resolve(balanceOf('100.00')));

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await slow.close();
});

const balanceOf = (balance: string): Answer => ({ status: 200, body: { balance, currency: 'THB' } });

/** An order whose supplier refuses its first send, and would sell the unit with the next one. */
async function refusedOrder(sku: string, supplier: FakeSupplier): Promise<OrderBody> {
  const user = unique('player');
  let sends = 0;
  supplier.script(user, ({ reference }) =>
    sends++ === 0 ? { status: 429, headers: { 'retry-after': '600' } } : bought(reference),
  );
  const order = await stack.order(merchant, [{ sku }], user);
  const waiting = (): Promise<object[]> =>
    stack.sql(
      `SELECT FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)
         AND state = 'queued' AND first_sent_at IS NOT NULL AND claimed_by IS NULL`,
      [order.order_number],
    );
  await eventually(waiting, ({ length }) => length === 1);
  return order;
}

/** Pauses a supplier, with orders that have waited for it for longer than they may. */
async function pauseSinceAnHour(supplier: string, as: string, ...orders: OrderBody[]): Promise<void> {
  await stack.sql(`UPDATE orders SET created_at = created_at - interval '1 hour' WHERE order_number = ANY($1)`, [
    orders.map(({ order_number }) => order_number),
  ]);
  await stack.sql(`UPDATE suppliers SET ${as}, paused_at = now() - interval '1 hour' WHERE code = $1`, [supplier]);
}

/** Makes a probe of the slow supplier due. The supplier answers when the test resolves `answer`. */
async function makeProbeDue(...orders: OrderBody[]): Promise<void> {
  answer = deferred();
  probes = 0;
  slow.balance = () => {
    probes++;
    return answer.promise;
  };
  const isDue = `pause_reason = 'deposit', paused_balance_micros = 0, probes = 1, probe_at = now()`;
  await pauseSinceAnHour('slow', isDue, ...orders);
}

/** The same, and waits until the supplier has received the probe. */
async function probed(...orders: OrderBody[]): Promise<void> {
  await makeProbeDue(...orders);
  await eventually(
    () => probes,
    (count) => count > 0,
  );
}

/** Waits until workers have failed units of other paused suppliers: the second one in a later run than one that began before. */
async function untilOthersFailed(): Promise<void> {
  for (const _time of [1, 2]) {
    const paused = unique('paused');
    await stack.addSupplier(paused, stack.supplier.url);
    const other = await refusedOrder(await stack.product('35.00', { supplier: paused }), stack.supplier);
    await pauseSinceAnHour(paused, `pause_reason = 'operator'`, other);
    await stack.orderWith(merchant, other.reference_id, 'failed');
  }
}

describe('While a paused supplier has not answered its probe', () => {
  it('a unit that waits for the next offer of another paused supplier is bought there', async () => {
    await probed();
    const paused = unique('paused');
    await stack.addSupplier(paused, stack.supplier.url);
    const sku = await stack.product('35.00', { supplier: paused });
    const order = await refusedOrder(sku, stack.supplier);
    await stack.sql(
      `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority)
       SELECT p.id, s.id, 'X', 2 FROM products p, suppliers s WHERE p.sku = $1 AND s.code = 'fake'`,
      [sku],
    );
    await stack.sql(`UPDATE suppliers SET pause_reason = 'operator', paused_at = now() WHERE code = $1`, [paused]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    answer.resolve(balanceOf('100.00'));
    const resumed = `SELECT FROM suppliers WHERE code = 'slow' AND pause_reason IS NULL`;
    await eventually(
      () => stack.sql(resumed),
      ({ length }) => length === 1,
    );
  });

  it('no worker fails a unit that has waited for the supplier for too long', async () => {
    await stack.startWorker();
    const order = await refusedOrder(await stack.product('35.00', { supplier: 'slow' }), slow);
    await probed(order);
    await untilOthersFailed();
    answer.resolve(balanceOf('100.00'));
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(probes).toBe(1);
  });
});

describe('While PostgreSQL is too busy to record a due probe', () => {
  it('no worker fails a unit that has waited for the supplier for too long', async () => {
    const order = await refusedOrder(await stack.product('35.00', { supplier: 'slow' }), slow);
    await stack.fill(`
      CREATE FUNCTION refuse_probe() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE 'busy' USING ERRCODE = 'lock_not_available'; END $$;
      CREATE TRIGGER tg_refuse_probe BEFORE UPDATE OF probing_until ON suppliers FOR EACH ROW
        WHEN (NEW.probing_until IS NOT NULL) EXECUTE FUNCTION refuse_probe()`);
    try {
      await makeProbeDue(order);
      await untilOthersFailed();
      expect(probes).toBe(0);
    } finally {
      await stack.fill('DROP TRIGGER tg_refuse_probe ON suppliers');
    }
    answer.resolve(balanceOf('100.00'));
    expect(await stack.orderWith(merchant, order.reference_id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
    });
  });
});

describe('A probe that began before an operator entered new credentials', () => {
  it('does not end the pause, because only a probe with the new ones proves them', async () => {
    const isPaused = async (): Promise<boolean> =>
      (await stack.sql(`SELECT FROM suppliers WHERE code = 'slow' AND pause_reason = 'credentials'`)).length === 1;
    const [before, after] = [deferred<Answer>(), deferred<Answer>()];
    answer = after;
    probes = 0;
    slow.balance = () => (probes++ === 0 ? before.promise : after.promise);
    await pauseSinceAnHour('slow', `pause_reason = 'credentials', probes = 1, probe_at = now()`);
    await eventually(
      () => probes,
      (count) => count === 1,
    );
    await stack.api.get(SuppliersService).set({
      code: 'slow',
      adapter: 'http',
      baseUrl: slow.url,
      timeoutMs: TIMEOUT_MS,
      credentials: { token: unique('token') },
    });

    before.resolve(balanceOf('100.00'));

    await eventually(
      async () => ({ probes, isPaused: await isPaused() }),
      (seen) => seen.probes === 2 || !seen.isPaused,
    );
    expect(await isPaused()).toBe(true);
    after.resolve(balanceOf('100.00'));
    await eventually(isPaused, (is) => !is);
  });
});
