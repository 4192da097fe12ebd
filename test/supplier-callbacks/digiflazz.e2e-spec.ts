import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CallbackAddressesService } from '../../src/suppliers/callback-addresses.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';
import { REPEATS_CALLBACKS } from '../simulators/simulator-client.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { holding } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

const SECRET = 'hook-secret-1';
const bench = new DigiflazzBench();
let stack: TestStack;
let vendor: DigiflazzClient;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  vendor = await bench.start({ ...REPEATS_CALLBACKS, retry_delivery_id: 'same' });
  // Pending purchases stay pending until a test ends them.
  await vendor.sim('rules', { match: { sku: 'pending' }, times: null, rc: '03', then: [] });
  await stack.api.get(SuppliersService).set({
    code: 'digi',
    adapter: 'digiflazz',
    baseUrl: `${vendor.url}/v1`,
    credentials: { username: USERNAME, key: KEYS.production, webhook_secret: SECRET },
  });
  merchant = await stack.merchant();
  sku = await stack.product('35.00', { supplier: 'digi', supplierSku: 'pending' });
  await stack.startWorker({ supplierCallbackBaseUrl: stack.url });
});

afterAll(async () => {
  await closeWithBalancedBooks(stack);
  await bench.clear();
});

interface Verdict {
  verdict: string;
  reference: string;
}

/** An order whose unit the supplier has accepted, and the reference of its attempt. */
async function pendingOrder(): Promise<{ order: OrderBody; reference: string }> {
  // The supplier accepts each player only once a day.
  const order = await stack.order(merchant, [{ sku }], unique('player'));
  const [attempt] = await eventually(
    () =>
      stack.sql<{ reference: string }>(
        `SELECT a.reference FROM unit_attempts a JOIN orders o ON o.id = a.order_id
         JOIN order_units u ON u.order_id = o.id WHERE o.order_number = $1 AND u.state = 'unknown'`,
        [order.order_number],
      ),
    ({ length }) => length === 1,
  );
  return { order, reference: attempt?.reference ?? '' };
}

const verdicts = async (about: string): Promise<string[]> =>
  (await stack.sql<Verdict>('SELECT verdict, reference FROM supplier_callbacks ORDER BY id'))
    .filter(({ reference }) => reference === about)
    .map(({ verdict }) => verdict);
const verdictsOf = (reference: string, count: number): Promise<string[]> =>
  eventually(
    () => verdicts(reference),
    ({ length }) => length >= count,
  );
const sends = async (reference: string): Promise<number> => (await vendor.journal(reference)).length;

describe('Digiflazz', () => {
  it('gets the address for callbacks with each purchase', async () => {
    const { reference } = await pendingOrder();
    const [entry] = await vendor.journal(reference);
    const supplier = await stack.api.get(SuppliersService).getByCode('digi');
    const token = stack.api.get(CallbackAddressesService).tokenOf(supplier);
    const body = JSON.parse(String(entry?.body)) as Json;
    expect(body.cb_url).toBe(`${stack.url}/supplier-callbacks/digi/${token}`);
  });

  it('settles an order by its callback, without an inquiry', async () => {
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    await vendor.sim('settle', { ref_id: reference, rc: '00', sn: 'SN-1' });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    expect(await verdictsOf(reference, 2)).toEqual(['nothing_new', 'settled']);
    expect(await sends(reference)).toBe(1);
  });

  it('fails an order by its callback, and the merchant gets the money back', async () => {
    const { available } = await stack.wallet(merchant);
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    await vendor.sim('settle', { ref_id: reference, rc: '54' });
    const failed = await stack.orderWith(merchant, order.reference_id, 'failed');
    expect(failed).toMatchObject({ failure_code: 'INVALID_PLAYER' });
    expect(await stack.wallet(merchant)).toMatchObject({ available });
  });

  it('changes nothing by a second callback with an older state, or the same', async () => {
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    await vendor.sim('settle', { ref_id: reference, rc: '00', sn: 'SN-2' });
    await verdictsOf(reference, 2);
    for (const { n } of await vendor.sim<{ n: number }[]>(`callbacks?ref_id=${reference}`))
      await vendor.sim('callbacks', { redeliver: n });
    await vendor.sim('callbacks', { ref_id: reference, set: { status: 'Pending', rc: '03', sn: '' } });
    expect((await verdictsOf(reference, 5)).slice(2)).toEqual(['repeated', 'repeated', 'nothing_new']);
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('opens a discrepancy by a callback that takes a success back', async () => {
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    await vendor.sim('settle', { ref_id: reference, rc: '00', sn: 'SN-3' });
    await verdictsOf(reference, 2);
    await vendor.sim('settle', { ref_id: reference, rc: '74' });
    expect(await verdictsOf(reference, 3)).toEqual(['nothing_new', 'settled', 'contradicted']);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const reversals = await stack.sql('SELECT kind FROM supplier_reversals WHERE order_id IS NOT NULL');
    expect(reversals).toEqual([{ kind: 'taken_back' }]);
  });

  it('gets an error for a late success that could not be stored, so that it repeats the callback', async () => {
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    await vendor.sim('settle', { ref_id: reference, rc: '54' });
    await stack.orderWith(merchant, order.reference_id, 'failed');
    await verdictsOf(reference, 2);
    const thirdCallback = async (): Promise<{ attempts: { status: number }[] } | undefined> =>
      (await vendor.sim<{ attempts: { status: number }[] }[]>(`callbacks?ref_id=${reference}`)).at(2);
    await holding(stack, 'supplier_reversals', async () => {
      await vendor.sim('settle', { ref_id: reference, rc: '00', sn: 'SN-5' });
      const third = await eventually(thirdCallback, (callback) => (callback?.attempts.length ?? 0) > 0);
      expect(third?.attempts[0]).toMatchObject({ status: 503 });
    });
    expect((await verdictsOf(reference, 3))[2]).toBe('contradicted');
  });

  it('opens a discrepancy with product and player by a callback about a purchase of no known order', async () => {
    const supplier = await stack.api.get(SuppliersService).getByCode('digi');
    const token = stack.api.get(CallbackAddressesService).tokenOf(supplier);
    // The service may have bought it before its database was restored from a backup.
    const reference = unique('TGONE').toUpperCase();
    await vendor.transaction(reference, {
      buyer_sku_code: 'pending',
      customer_no: '7234567892001',
      cb_url: `${stack.url}/supplier-callbacks/digi/${token}`,
    });
    const detail = async (text: string): Promise<object[]> =>
      eventually(
        () => stack.sql('SELECT * FROM supplier_reversals WHERE reference = $1 AND detail = $2', [reference, text]),
        ({ length }) => length === 1,
      );
    await detail('called back: processing');
    await vendor.sim('settle', { ref_id: reference, rc: '00', sn: 'SN-9' });
    expect(await detail('called back: succeeded')).toMatchObject([
      { kind: 'unknown_purchase', supplier_sku: 'pending', player: '7234567892001', cost_currency: 'IDR' },
    ]);
    expect(await sends(reference)).toBe(1);
  });

  it('settles nothing by a callback with another signature', async () => {
    const { order, reference } = await pendingOrder();
    await verdictsOf(reference, 1);
    // They are refused, and so would be repeated.
    await vendor.sim('readings', { retry_schedule_ms: [] });
    for (const signature of ['wrong', 'absent', 'no_prefix', 'reserialised']) {
      const forged: Json = { ref_id: reference, set: { status: 'Sukses', rc: '00', sn: 'SN-4' }, signature };
      await eventually(
        () => vendor.sim<{ attempts: { status: number }[] }>('callbacks', forged),
        ({ attempts }) => attempts[0]?.status !== 503,
      );
    }
    const refused = await stack.sql(`SELECT 1 FROM supplier_callbacks WHERE verdict = 'refused'`);
    expect(refused).toHaveLength(4);
    expect(await stack.orderWith(merchant, order.reference_id, 'processing')).toMatchObject({
      status: 'processing',
    });
  });
});
