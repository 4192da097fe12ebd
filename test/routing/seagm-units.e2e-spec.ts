import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import type { Json } from '../simulators/seagm-client.js';
import { SUPPLIER_CALLS } from '../../src/orders/supplier-calls.sql.js';
import { eventuallyChecked } from '../support/checks.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { seagmScene } from './seagm-scene.js';

const seagm = seagmScene();

const ONCE = { times_bought: 1, standing: 1, sends: 1 };

const purchases = async (order: OrderBody): Promise<unknown[]> =>
  seagm.vendor.sim(`purchases?ref_id=${await seagm.routing.reference(order)}`);

const offReasons = async (sku: string): Promise<unknown[]> =>
  (
    await seagm.routing.stack.sql<{ off_reason: string | null }>(
      'SELECT off_reason FROM supplier_offers o JOIN products p ON p.id = o.product_id WHERE p.sku = $1',
      [sku],
    )
  ).map(({ off_reason }) => off_reason);

describe('A unit bought from SEAGM', () => {
  it('is accepted under a random reference, and its cost is in the currency of the account', async () => {
    const order = await seagm.routing.orderWith(await seagm.routing.order(seagm.sku), 'completed');
    const [attempt] = await seagm.routing.attempts(order);
    const { transactions } = await seagm.bought(order);
    expect(attempt).toMatchObject({ state: 'succeeded', cost: '4.35', currency: 'MYR' });
    expect(attempt?.reference).toMatch(/^T[0-9A-HJKMNP-TV-Z]{15}$/);
    expect(JSON.stringify(transactions)).toContain(attempt?.supplier_reference);
    const [sent] = await seagm.vendor.journal(attempt?.reference ?? '');
    expect(sent).toMatchObject({ call: 'recharge-orders', decision: 'accepted', warnings: [] });
  });

  it('keeps no cost and no limit of an offer in another currency: they would seem to be in the reported one', async () => {
    const { stack } = seagm.routing;
    const sku = await seagm.product('6401', '{"userid":"{user}"}');
    const cost = { costMicros: 30_000_000n, currency: 'THB' };
    await stack.api.get(OffersService).set({ sku, supplier: 'seagm', supplierSku: '6401', ...cost });
    const order = await seagm.routing.orderWith(await seagm.routing.order(sku), 'completed');
    const kept = await stack.sql(
      `SELECT expected_cost_micros, max_cost_micros, cost_micros, cost_currency
       FROM unit_attempts a JOIN orders o ON o.id = a.order_id WHERE o.order_number = $1`,
      [order.order_number],
    );
    const none = { expected_cost_micros: null, max_cost_micros: null };
    expect(kept).toEqual([{ ...none, cost_micros: 4_350_000n, cost_currency: 'MYR' }]);
  });

  it.each(['Anna & Co', 'a+b=c%20d', 'Ünal ~*!()’ 100%'])('is signed for the player %s', async (user) => {
    const order = await seagm.routing.orderWith(await seagm.routing.order(seagm.sku, { user }), 'completed');
    const [sent] = await seagm.vendor.journal(await seagm.routing.reference(order));
    expect(sent).toMatchObject({ player: user, decision: 'accepted' });
  });

  it.each<[string, Json]>([
    ['504 and a page', { http: 504 }],
    ['504', { code: 504, answer_only: true }],
    ['1006', { code: 1006, answer_only: true }],
    ['an info_code that nobody documents', { code: 400, info_code: 20_999, answer_only: true }],
    ['nothing', { drop: true }],
  ])('is found by our reference after the answer %s, and not bought again', async (_what, rule) => {
    const order = await seagm.ruled({ ...rule, callback: { mode: 'never' } });
    expect(await seagm.routing.unitIn(order, 'unknown')).toBeGreaterThan(2);
    await eventually(
      () => seagm.bought(order),
      ({ standing }) => standing === 1,
    );
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'completed');
    expect(await seagm.calls(order)).toEqual(['recharge-orders', 'inquiry']);
    expect(await seagm.bought(order)).toMatchObject(ONCE);
  });

  describe.each(['code', '200'])('if errors have HTTP %s', (error_http_status) => {
    beforeAll(() => seagm.vendor.sim('readings', { error_http_status }));
    afterAll(() => seagm.vendor.sim('readings', { error_http_status: 'code' }));

    it('is not sent again while the supplier’s records lack it, and is found once they have it', async () => {
      const missing = { match: { call: 'inquiry' }, code: 404 };
      const order = await seagm.ruled({ http: 504, callback: { mode: 'never' } }, missing);
      await seagm.routing.unitIn(order, 'unknown');
      await seagm.routing.aMinuteLater(order);
      await seagm.called(order, 2);
      // This inquiry may already find it.
      await seagm.routing.aMinuteLater(order);
      await seagm.routing.orderWith(order, 'completed');
      const [sent, ...asked] = await seagm.calls(order);
      expect(sent).toBe('recharge-orders');
      expect(new Set(asked)).toEqual(new Set(['inquiry']));
      expect(await seagm.bought(order)).toMatchObject(ONCE);
    });

    it('is sent again if the supplier never saw it, but only after the quiet period', async () => {
      const order = await seagm.ruled({ drop: true, decide: false });
      await seagm.routing.unitIn(order, 'unknown');
      await seagm.routing.aMinuteLater(order);
      await seagm.called(order, 2);
      await seagm.routing.unitIn(order, 'unknown');
      expect(await seagm.calls(order)).toEqual(['recharge-orders', 'inquiry']);
      expect(await purchases(order)).toEqual([]);
      await seagm.quiet(order);
      await seagm.routing.aMinuteLater(order);
      await seagm.routing.orderWith(order, 'completed');
      const sends = (await seagm.calls(order)).filter((call) => call === 'recharge-orders');
      expect(sends).toHaveLength(2);
      expect(await seagm.bought(order)).toMatchObject(ONCE);
      expect(await seagm.routing.attempts(order)).toHaveLength(1);
    });

    it('fails if the supplier does not know its type', async () => {
      const order = await seagm.routing.order(await seagm.product('9999', '{"userid":"{user}"}'));
      expect((await seagm.routing.orderWith(order, 'failed')).failure_code).toBe('ITEM_NOT_FOUND');
    });
  });

  it('fails with the supplier’s reason if the supplier refunds it', async () => {
    const refunded = { status_code: 10_005, refunded_reason: 'no such player' };
    const { items } = await seagm.routing.orderWith(await seagm.ruled({ then: [refunded] }), 'failed');
    expect(items[0]).toMatchObject({ failure_code: 'SUPPLIER_REJECTED', failure_message: 'no such player' });
  });

  it('is sent with the fields of its product, whatever they are called', async () => {
    const named = await seagm.product('6351', '{"userid":"{user}","serverid":"{server}"}');
    const { status, body } = await seagm.routing.merchant.client.post<OrderBody>('/v1/orders', {
      reference_id: unique('order'),
      user_id: '777',
      server_id: '2001',
      items: [{ sku: named }],
    });
    expect(status).toBe(200);
    await seagm.routing.orderWith(body, 'completed');
    const [sent] = await seagm.vendor.journal(await seagm.routing.reference(body));
    expect(sent).toMatchObject({ player: '777', warnings: [] });
    expect(JSON.stringify(sent?.body)).toContain('serverid=2001');
  });

  it.each([undefined, '{user}'])(
    'is not sent while its offer names no fields, as with the template %s',
    async (template) => {
      const sku = await seagm.product('6402', template);
      const next = { supplier: 'fake', supplierSku: 'X', priority: 1_000 };
      await seagm.routing.stack.api.get(OffersService).set({ sku, ...next });
      const order = await seagm.routing.orderWith(await seagm.routing.order(sku), 'completed');
      expect(await offReasons(sku)).toContainEqual(expect.stringContaining('player template'));
      expect(await seagm.calls(order)).toEqual([]);
      expect((await seagm.routing.attempts(order)).map(({ supplier }) => supplier)).toEqual(['seagm', 'fake']);
    },
  );

  it('waits until its offer is corrected, and is then bought with the corrected fields', async () => {
    const sku = await seagm.product('6402');
    const order = await seagm.routing.order(sku);
    await eventually(
      () => offReasons(sku),
      ([reason]) => reason !== null,
    );
    await seagm.routing.unitIn(order, 'queued');
    const corrected = { supplier: 'seagm', supplierSku: '6402', playerTemplate: '{"userid":"{user}"}' };
    await seagm.routing.stack.api.get(OffersService).set({ sku, ...corrected, active: true });
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'completed');
    const attempts = await seagm.routing.attempts(order);
    expect(attempts.map(({ state }) => state)).toEqual(['withdrawn', 'succeeded']);
  });
});

describe('A callback of SEAGM', () => {
  it('settles the unit without an inquiry', async () => {
    const order = await seagm.ruled({ then: [] });
    const ref_id = await seagm.routing.reference(order);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id, status_code: 10_003 });
    await seagm.routing.orderWith(order, 'completed');
    expect(await seagm.calls(order)).toEqual(['recharge-orders']);
    const callbacks = await eventually(
      () => seagm.vendor.sim<{ attempts: Json[] }[]>(`callbacks?ref_id=${ref_id}`),
      (all) => all.length === 2 && all.every(({ attempts }) => attempts.length === 1),
    );
    expect(callbacks.flatMap(({ attempts }) => attempts)).toMatchObject([
      { status: 200, body: 'success' },
      { status: 200, body: 'success' },
    ]);
  });

  it.each<[string, Json]>([
    ['with another amount', { set: { status_code: 10_003, pay_amount: '0.01' }, signature: 'stale' }],
    ['signed by another key', { set: { status_code: 10_003 }, signature: 'wrong' }],
    ['without a signature', { set: { status_code: 10_003 }, signature: 'absent' }],
    ['of long ago', { set: { status_code: 10_003, timestamp: 1_760_000_000 } }],
  ])('%s is refused, and settles nothing', async (_what, forged) => {
    const order = await seagm.ruled({ then: [], callback: { mode: 'never' } });
    const ref_id = await seagm.routing.reference(order);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('callbacks', { ref_id, ...forged });
    const [refused] = await seagm.vendor.sim<{ attempts: Json[] }[]>(`callbacks?ref_id=${ref_id}`);
    expect(refused?.attempts).toMatchObject([{ status: 401 }]);
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 2);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id, status_code: 10_004 });
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'failed');
  });

  it('that names another order of the supplier causes an inquiry, and settles nothing', async () => {
    const order = await seagm.ruled({ then: [], callback: { mode: 'never' } });
    const ref_id = await seagm.routing.reference(order);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('callbacks', { ref_id, set: { id: '4711', status_code: 10_003 } });
    await seagm.called(order, 2);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id, status_code: 10_003 });
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'completed');
  });
});

describe('Another order of SEAGM under the reference of a refunded one', () => {
  it.each<[string, Json]>([
    ['a callback', {}],
    ['a query', { mode: 'never' }],
  ])('is a late sale of the failed unit, if %s finds it', async (_how, callback) => {
    const { stack } = seagm.routing;
    const order = await seagm.ruled({ then: [] });
    const ref_id = await seagm.routing.reference(order);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id, status_code: 10_005 });
    await seagm.routing.orderWith(order, 'failed');
    await seagm.vendor.sim('rules', { match: { player: order.user_id }, callback });
    await seagm.vendor.buy(ref_id, { userid: String(order.user_id) });
    // A callback that decides nothing schedules a query.
    if (callback.mode === 'never') await seagm.vendor.sim('callbacks', { ref_id, set: { status_code: 10_099 } });
    const found = (): Promise<object[]> =>
      stack.sql(
        `SELECT r.kind FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
        [order.order_number],
      );
    expect(await eventuallyChecked(stack, found, ({ length }) => length > 0)).toEqual([{ kind: 'bought_late' }]);
  });
});

describe('A card of SEAGM', () => {
  interface DeliveredCode {
    serial: string | null;
    code: string | null;
    expires_on?: string | null;
  }

  it('that is sold waits for its PIN, which is stored sealed', async () => {
    const sku = await seagm.codeProduct('card:901');
    const then = [{ status_code: 10_003, with_cards: false }];
    await seagm.vendor.sim('rules', { match: { call: 'card-orders' }, then });
    const order = await seagm.routing.order(sku);
    const ref_id = await seagm.routing.reference(order);
    await eventually(
      () => seagm.bought(order),
      ({ standing }) => standing === 1,
    );
    // The callback about the success contains no card, and neither does the answer to the inquiry that it causes.
    // If the callback came before the answer to the purchase, the inquiry waits for its usual time.
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 2);
    await seagm.routing.unitIn(order, 'unknown');
    const cards = [{ sn: 'SN-77', pin: 'PIN-4711-0815', expired: '2029-12-31' }];
    await seagm.vendor.sim('settle', { ref_id, status_code: 10_003, with_cards: true, cards });
    await seagm.routing.aMinuteLater(order);
    const { items } = await seagm.routing.orderWith(order, 'completed');
    const [delivered] = (items[0] as unknown as { deliveries: DeliveredCode[] }).deliveries;
    expect(delivered).toMatchObject({ serial: 'SN-77', code: 'PIN-4711-0815' });
    expect(await seagm.bought(order)).toMatchObject({ ...ONCE, sku: 'card:901' });
    const rows = await seagm.routing.stack.sql(`SELECT row_to_json(o)::text || row_to_json(c)::text AS text
      FROM orders o JOIN ${SUPPLIER_CALLS} c ON c.order_id = o.id`);
    expect(JSON.stringify(rows)).not.toContain('PIN-4711');
  });

  it('has its PIN in the answer to the purchase', async () => {
    const sku = await seagm.codeProduct('card:902');
    const then = [{ status_code: 10_003, after_ms: 0 }];
    await seagm.vendor.sim('rules', { match: { call: 'card-orders' }, then });
    const { items } = await seagm.routing.orderWith(await seagm.routing.order(sku), 'completed');
    const { deliveries } = items[0] as unknown as { deliveries: DeliveredCode[] };
    expect(deliveries).toMatchObject([{ serial: expect.any(String), code: expect.any(String) }]);
  });
});
