import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SupplierSyncService } from '../../src/catalog/supplier-sync.service.js';
import type { Json } from '../simulators/wepay-client.js';
import { eventually } from '../support/eventually.js';
import { expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { unique, type OrderBody } from '../support/stack.js';
import type { RoutingScene } from './routing-scene.js';
import { WepayScene } from './wepay-scene.js';

let wepay: WepayScene;
let scene: RoutingScene;

beforeAll(async () => {
  // 30 days: more than PostgreSQL's `int` holds as milliseconds.
  wepay = await WepayScene.open({}, { SUPPLIER_REVIEW_AFTER_MS: '2592000000' });
  scene = wepay.routing;
});

afterAll(() => wepay.close());

/** The number of inquiries about a transaction. */
async function asked(id: string): Promise<number> {
  const calls = await wepay.vendor.sim<{ call: string; body: string }[]>('journal');
  return calls.filter(({ call, body }) => call === 'get_output' && JSON.stringify(body).includes(id)).length;
}

const bought = async (order: OrderBody): Promise<Json> => wepay.vendor.purchase(await scene.reference(order));

const discrepancies = ({ order_number }: OrderBody): Promise<{ kind: string; status: string }[]> =>
  scene.stack.sql(
    `SELECT r.kind, r.status FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
    [order_number],
  );

const postFor = (sku: string, user_id: string, server_id?: string): Promise<Answer<OrderBody>> =>
  scene.merchant.client.post<OrderBody>('/v1/orders', {
    reference_id: unique('order'),
    user_id,
    server_id,
    items: [{ sku }],
  });

describe('A unit bought from wePAY', () => {
  it('does not succeed when the supplier accepts it, but when an inquiry about the transaction reports success', async () => {
    const order = await wepay.ruled({
      then: [{ status: '2', operator_trxnsid: 'OP-9', after_ms: 600_000 }],
    });
    const id = await wepay.named(order);
    await scene.unitIn(order, 'unknown');
    expect(await scene.attempts(order)).toEqual([
      expect.objectContaining({ state: 'processing', supplier_reference: id, cost: '86.4', currency: 'THB' }),
    ]);
    await wepay.later('11m');

    await scene.orderWith(order, 'completed');
    expect(await asked(id)).toBeGreaterThan(0);
    const [attempt] = await scene.attempts(order);
    expect(attempt).toMatchObject({ state: 'succeeded', supplier_reference: 'OP-9', cost: '86.4' });
    expect(attempt?.reference).toMatch(/^T[0-9A-HJKMNP-TV-Z]{15}$/);
    expect(await bought(order)).toMatchObject({ standing: 1, times_bought: 1, sends: 1 });
    const [callback] = await eventually(
      () =>
        wepay.vendor.sim<{ state: string; attempts: { body: string }[] }[]>(`callbacks?ref_id=${attempt?.reference}`),
      ([first]) => first?.state === 'delivered',
    );
    expect(callback?.attempts.at(-1)?.body).toBe(`SUCCEED|ORDER_ID=${attempt?.reference}`);
  });

  it('is never settled by a callback, which only causes an inquiry', async () => {
    const order = await wepay.ruled({ then: [] });
    const id = await wepay.named(order);
    await scene.unitIn(order, 'unknown');
    const before = await asked(id);
    const reference = await scene.reference(order);
    for (const status of ['2', '4']) {
      const answer = await wepay.callBack({ dest_ref: reference, transaction_id: id, status });
      expect(await answer.text()).toBe(`SUCCEED|ORDER_ID=${reference}`);
    }
    await eventually(
      () => asked(id),
      (count) => count > before,
    );
    await scene.unitIn(order, 'unknown');
    await wepay.vendor.sim('settle', { ref_id: reference, status: '2' });
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'completed');
  });

  it('fails with status 4, and stays in doubt with an unknown status', async () => {
    const [refused, pending] = [
      await wepay.ruled({ then: [{ status: '4' }] }),
      await wepay.ruled({ then: [{ status: '3' }] }),
    ];
    for (const order of [refused, pending]) await wepay.named(order);
    await wepay.later();
    await scene.aMinuteLater(refused);
    await scene.aMinuteLater(pending);
    expect((await scene.orderWith(refused, 'failed')).failure_code).toBe('SUPPLIER_REJECTED');
    await eventually(
      async () => asked((await wepay.theirName(pending)) ?? ''),
      (count) => count > 0,
    );
    await scene.unitIn(pending, 'unknown');
    await wepay.vendor.sim('settle', { ref_id: await scene.reference(pending), status: '2' });
    await scene.aMinuteLater(pending);
    await scene.orderWith(pending, 'completed');
  });

  it('waits for a callback if its answer was lost, and the supplier refuses the second send as a repeat', async () => {
    const order = await wepay.ruled({ drop: true, then: [] });
    expect(await scene.unitIn(order, 'unknown')).toBeGreaterThan(2);
    await scene.aMinuteLater(order);
    const reference = await scene.reference(order);
    await eventually(
      () => wepay.vendor.journal(reference),
      (sent) => sent.length === 2,
    );
    expect(await scene.unitIn(order, 'unknown')).toBeGreaterThan(80_000);
    expect(await wepay.theirName(order)).toBeNull();

    await wepay.vendor.sim('settle', { ref_id: reference, status: '2' });
    await scene.orderWith(order, 'completed');
    expect(await bought(order)).toMatchObject({ standing: 1, times_bought: 1, sends: 2 });
    expect((await scene.attempts(order))[0]?.supplier_reference).toMatch(/^OP/);

    // The supplier answers inquiries only by the transaction's id, so a refund is noticed only with that id.
    expect(await wepay.theirName(order)).toBe((await bought(order)).transaction_id);
    await wepay.vendor.sim('settle', { ref_id: reference, status: '4' });
    const [found] = await eventually(
      () => discrepancies(order),
      ({ length }) => length > 0,
    );
    expect(found).toEqual({ kind: 'taken_back', status: 'open' });
  });

  it('is bought once, by the second send, if the first one never arrived', async () => {
    const order = await wepay.ruled({ drop: true, decide: false });
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order);
    await wepay.named(order);
    await wepay.later();
    await scene.orderWith(order, 'completed');
    expect(await bought(order)).toMatchObject({ standing: 1, times_bought: 1 });
  });

  it('loses a supplier’s reference that a forged callback brought, once an inquiry does not find it', async () => {
    const order = await wepay.ruled({ drop: true, decide: false });
    await scene.unitIn(order, 'unknown');
    const reference = await scene.reference(order);
    await wepay.callBack({ dest_ref: reference, transaction_id: '4711', status: '2' });
    expect(await wepay.theirName(order)).toBe('4711');
    await scene.aMinuteLater(order);
    await eventually(
      () => wepay.theirName(order),
      (name) => name === null,
    );
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order);
    await wepay.named(order);
    await wepay.later();
    await scene.orderWith(order, 'completed');
    expect(await bought(order)).toMatchObject({ standing: 1, times_bought: 1 });
  });

  it('is queried only once after its end if a callback named it by another transaction', async () => {
    const { stack } = scene;
    const noChecks = (): Promise<object[]> =>
      eventually(
        () => stack.sql('SELECT FROM attempt_checks'),
        ({ length }) => length === 0,
      );
    const order = await wepay.ruled({ then: [{ status: '4' }] });
    await wepay.named(order);
    await wepay.later();
    await scene.aMinuteLater(order);
    await scene.orderWith(order, 'failed');
    await noChecks();
    // As if the callback had come during the send, before the answer that refused it.
    const reference = await scene.reference(order);
    await stack.sql(`UPDATE unit_attempts SET supplier_reference = '4712', is_hearsay = true WHERE reference = $1`, [
      reference,
    ]);
    await wepay.callBack({ dest_ref: reference, transaction_id: '4712', status: '2' });
    await eventually(
      () => asked('4712'),
      (count) => count > 0,
    );
    await noChecks();
  });

  it('goes to review, and is not refunded, if its outcome is unknown after an hour', async () => {
    const order = await wepay.ruled({ drop: true, then: [] });
    await scene.unitIn(order, 'unknown');
    await scene.stack.sql(
      `UPDATE order_units SET unknown_since = unknown_since - interval '61 min'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await scene.aMinuteLater(order);
    await scene.unitIn(order, 'review');
    expect(await wepay.vendor.journal(await scene.reference(order))).toHaveLength(1);
    await scene.resolve(order, 'not on their statement', '--failed', 'SUPPLIER_REJECTED');
    await wepay.vendor.sim('settle', { ref_id: await scene.reference(order), status: '4' });
  });

  it('goes to review by the age of the first send that may have been accepted, not of a refused one', async () => {
    const order = await wepay.ruled({ code: '10003' }, { drop: true, then: [] });
    const calls = async (): Promise<number> => (await wepay.vendor.journal(await scene.reference(order))).length;
    await eventually(calls, (count) => count === 1);
    await scene.unitIn(order, 'queued');
    // The refused send was an hour and a half ago.
    await scene.stack.sql(
      `UPDATE order_units SET first_sent_at = first_sent_at - interval '90 min', next_action_at = now()
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await eventually(calls, (count) => count === 2);
    await scene.unitIn(order, 'unknown');
    await scene.aMinuteLater(order);
    await eventually(calls, (count) => count === 3);
    await scene.unitIn(order, 'unknown');
    await wepay.vendor.sim('settle', { ref_id: await scene.reference(order), status: '2' });
    await scene.orderWith(order, 'completed');
  });

  it('is bought with the next offer if the supplier no longer has the amount', async () => {
    const sku = await scene.product(
      { supplier: 'wepay', supplierSku: 'gtopup:FREEFIRE:91' },
      { supplier: 'fake', supplierSku: 'X' },
    );
    const order = await scene.orderWith(await wepay.order(sku), 'completed');
    expect(await scene.attempts(order)).toEqual([
      expect.objectContaining({ supplier: 'wepay', state: 'failed', failure_code: 'ITEM_NOT_FOUND' }),
      expect.objectContaining({ supplier: 'fake', state: 'succeeded' }),
    ]);
  });
});

describe('A product of wePAY', () => {
  it.each([
    ['90', '90'],
    ['90.02', '90.02'],
    ['23.5', '23.50'],
  ])('for %s baht is bought with the amount %s', async (amount, sent) => {
    const sku = await scene.product({ supplier: 'wepay', supplierSku: `gtopup:FREEFIRE:${amount}` });
    const order = await wepay.order(sku);
    await wepay.named(order);
    await wepay.later();
    await scene.orderWith(order, 'completed');
    expect(await bought(order)).toMatchObject({ sku: `gtopup:FREEFIRE:${sent}`, standing: 1 });
  });

  it('accepts only players in the form of its game', async () => {
    const run = await scene.stack.api.get(SupplierSyncService).sync('wepay');
    expect(run).toMatchObject({ refusal: null });
    const mlbb = await scene.product({ supplier: 'wepay', supplierSku: 'gtopup:MLBB:50' });
    const genshin = await scene.product({ supplier: 'wepay', supplierSku: 'gtopup:GENSHIN:35' });
    for (const [user, server] of [['1234', '2001'], ['12345678'], ['12345678', 'Asia'], ['12345 678', '1']])
      expectRefusedField(await postFor(mlbb, user ?? '', server), 'user_id', 'INVALID_PLAYER');
    expectRefusedField(await postFor(genshin, '800000000', 'as'), 'user_id', 'INVALID_PLAYER');

    for (const [sku, user, server] of [
      [mlbb, '12345678', '2001'],
      [genshin, '800000000', 'AS'],
    ] as const) {
      const { status, body: order } = await postFor(sku, user, server);
      expect(status).toBe(200);
      await wepay.named(order);
      await wepay.later();
      await scene.orderWith(order, 'completed');
      const [sent] = await wepay.vendor.journal(await scene.reference(order));
      expect(sent).toMatchObject({ player: `${user} ${server}`, warnings: [] });
    }
  });
});
