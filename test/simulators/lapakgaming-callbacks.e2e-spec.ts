import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { Received } from '../support/webhook-receiver.js';
import { type Json, LapakgamingBench } from './lapakgaming-client.js';

const bench = new LapakgamingBench();
afterEach(() => bench.clear());

interface Body {
  code: string;
  data: Json;
}

const bodyOf = ({ body }: Received): Body => JSON.parse(body) as Body;
const statuses = (all: Received[]): unknown[] => all.map((each) => bodyOf(each).data.status);

describe('the callback of an order', () => {
  it('comes when the order has ended, unsigned, with the same members as an inquiry', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.order('A1');
    await client.status('A1');
    expect(receiver.received).toEqual([]);
    await client.untilSettled();
    const [received] = (await receiver.arrived('/order')) as [Received];
    expect(bodyOf(received)).toEqual({ code: 'SUCCESS', data: (await client.status('A1')).data });
    const names = Object.keys(received.headers);
    expect(names.sort()).toEqual(['connection', 'content-length', 'content-type', 'host']);
    const delivered = eventually(
      () => client.sim<Json[]>('callbacks?ref_id=A1'),
      ([only]) => only?.state === 'delivered',
    );
    expect(await delivered).toMatchObject([{ attempts: [{ status: 200 }] }]);
  });

  it('goes to the address of the order, or else to that of the account', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.order('A1', { override_callback_url: receiver.url('/own') });
    await client.untilSettled();
    await receiver.arrived('/own');
    expect(receiver.at('/order')).toEqual([]);
  });

  it('waits until all transactions have the same end', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.order('A1', { product_code: 'ML4649_883-S42', count_order: 2 });
    await client.sim('settle', { ref_id: 'A1', transactions: ['SUCCESS', 'PENDING'] });
    await client.sim('settle', { ref_id: 'A1', transactions: ['SUCCESS', 'REFUNDED'] });
    expect(await client.sim('callbacks')).toEqual([]);
    await client.sim('settle', { ref_id: 'A1', status: 'REFUNDED' });
    expect(statuses(await receiver.arrived('/order'))).toEqual(['REFUNDED']);
    await client.sim('settle', { ref_id: 'A1', status: 'REFUNDED' });
    expect(await client.sim('callbacks')).toHaveLength(1);
  });

  it('is given up if the answer is not 200, and can be sent again by hand', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    receiver.answer('/order', 204, 200);
    await client.order('A1');
    await client.untilSettled();
    await eventually(
      () => client.sim<Json[]>('callbacks'),
      ([only]) => only?.state === 'given_up',
    );
    expect(await client.sim('callbacks', { redeliver: 1 })).toMatchObject({
      state: 'delivered',
      repeat: true,
    });
    const [first, second] = await receiver.arrived('/order', 2);
    expect(second?.body).toBe(first?.body);
  });

  it('is sent again by itself in another reading', async () => {
    const { client, receiver } = await bench.startWithCallbacks({ retry_schedule_ms: [10_000] });
    receiver.answer('/order', 500, 200);
    await client.order('A1');
    await client.untilSettled();
    await eventually(
      () => client.sim<{ attempts: Json[] }[]>('callbacks'),
      ([only]) => only?.attempts.length === 1,
    );
    await client.sim('clock', { advance: '10s' });
    await receiver.arrived('/order', 2);
  });

  it('reports a refund, also after a success', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.order('A1');
    await client.untilSettled();
    await receiver.arrived('/order');
    await client.sim('settle', { ref_id: 'A1', status: 'REFUNDED', note: 'stock was gone' });
    const all = await receiver.arrived('/order', 2);
    expect(statuses(all)).toEqual(['SUCCESS', 'REFUNDED']);
    expect(bodyOf(all[1] as Received).data.transactions).toMatchObject([{ note: 'stock was gone' }]);
  });
});

describe('the callback of an order, by a rule', () => {
  const refundedLater = [{ status: 'SUCCESS' }, { status: 'REFUNDED', after_ms: 60_000 }];

  it('never comes', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: { ref_id: 'A1' }, callback: { mode: 'never' } });
    await client.order('A1');
    await client.order('A2');
    await client.untilSettled();
    expect((await receiver.arrived('/order')).map((each) => bodyOf(each).data.reference_id)).toEqual(['A2']);
  });

  it('comes twice', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, callback: { mode: 'twice' } });
    await client.order('A1');
    await client.untilSettled();
    const [first, second] = await receiver.arrived('/order', 2);
    expect(second?.body).toBe(first?.body);
  });

  it('comes before the order is answered', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', {
      match: {},
      then: [{ status: 'SUCCESS' }],
      callback: { mode: 'before_answer' },
    });
    await client.order('A1');
    expect(statuses(receiver.at('/order'))).toEqual(['SUCCESS']);
  });

  it('comes out of order: the success after the refund', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, then: refundedLater, callback: { mode: 'out_of_order' } });
    await client.order('A1');
    await client.sim('clock', { advance: '61s' });
    expect(statuses(await receiver.arrived('/order', 2))).toEqual(['REFUNDED', 'SUCCESS']);
  });

  it('comes 25 minutes late', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('rules', { match: {}, callback: { delay_ms: 25 * 60_000 } });
    await client.order('A1');
    await client.sim('clock', { advance: '24m' });
    expect(await client.sim('callbacks')).toMatchObject([{ state: 'waiting', attempts: [] }]);
    await client.sim('clock', { advance: '26m' });
    await receiver.arrived('/order');
  });
});

describe('a callback that a test requests', () => {
  it('may report a false success', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.order('A1', { product_code: 'ML4649_883-S42' });
    const set = { status: 'SUCCESS', transactions: [{ status: 'SUCCESS' }] };
    expect(await client.sim('callbacks', { ref_id: 'A1', set })).toMatchObject({ state: 'delivered' });
    expect(bodyOf((await receiver.arrived('/order'))[0] as Received).data).toMatchObject({
      reference_id: 'A1',
      ...set,
    });
    expect((await client.status('A1')).data).toMatchObject({ status: 'PENDING' });
    expect(await client.purchase('A1')).toMatchObject({ standing: 0 });
  });
});

describe('the callback of a product', () => {
  it('comes for new products and changes of price or status, and for no others', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('account', {
      products: [
        { code: 'FF70-S1', price: 9_500 },
        { code: 'ML13_1-S27', status: 'available' },
        { code: 'GI60-S13', name: 'Crystals', price: 14_900 },
        { code: 'FF140-S1', category_code: 'FF', name: '140 Diamonds' },
      ],
    });
    const all = await receiver.arrived('/product', 3);
    const bodies = all.map((each) => bodyOf(each)).sort((a, b) => (String(a.data.code) < String(b.data.code) ? -1 : 1));
    expect(bodies).toEqual([
      {
        data: {
          code: 'FF140-S1',
          name: '140 Diamonds',
          provider_code: 'S1',
          price: 10_000,
          status: 'available',
        },
        meta: {},
      },
      { data: expect.objectContaining({ code: 'FF70-S1', price: 9_500, status: 'available' }), meta: {} },
      { data: expect.objectContaining({ code: 'ML13_1-S27', price: 3_300, status: 'available' }), meta: {} },
    ]);
    expect(await client.sim('callbacks')).toHaveLength(3);
  });

  it('comes when the last unit is sold', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    await client.sim('account', { products: [{ code: 'VCGS66-S22', stock: 2 }] });
    await receiver.arrived('/product');
    for (const refId of ['A1', 'A2']) {
      expect(await client.order(refId, { product_code: 'VCGS66-S22' })).toMatchObject({ code: 'SUCCESS' });
    }
    expect(statuses(await receiver.arrived('/product', 2))).toEqual(['available', 'empty']);
    expect(await client.order('A3', { product_code: 'VCGS66-S22' })).toMatchObject({
      code: 'STOCK_NOT_FOUND',
    });
  });

  it('can be requested for an unchanged product, or with false values', async () => {
    const { client, receiver } = await bench.startWithCallbacks();
    const wanted = { code: 'FF70-S1', set: { price: 1 } };
    expect(await client.sim('product-callbacks', wanted)).toMatchObject({ state: 'delivered' });
    expect(bodyOf((await receiver.arrived('/product'))[0] as Received).data).toMatchObject({ price: 1 });
    await expect(client.sim('product-callbacks', { code: 'ASD' })).rejects.toThrow('there is no product ASD');
  });
});
