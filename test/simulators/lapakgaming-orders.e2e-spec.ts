import { afterEach, describe, expect, it } from '@jest/globals';
import { type Answer, type Json, LapakgamingBench } from './lapakgaming-client.js';

const bench = new LapakgamingBench();
afterEach(() => bench.clear());

const transactionsOf = ({ data }: Answer): Json[] => data.transactions as Json[];

describe('the products for tests', () => {
  it.each<[string, Json, string]>([
    ['another price', { price: 999_999 }, 'PRICE_NOT_MATCH'],
    ['a product that is not there', { product_code: 'ASD' }, 'PRODUCT_NOT_FOUND'],
    ['an empty one', { product_code: 'ML156_16-S42' }, 'PRODUCT_EMPTY'],
    ['one without provider', { product_code: 'ML234_23-S2' }, 'PROVIDER_NOT_FOUND'],
    ['one whose provider is off', { product_code: 'ML625_81-S2' }, 'PROVIDER_INACTIVE'],
    ['one for which the balance is short', { product_code: 'ML7740_1548-S42' }, 'INSUFFICIENT_BALANCE'],
  ])('refuse %s, and record nothing', async (_case, more, code) => {
    const client = await bench.start();
    expect(await client.order('A1', more)).toEqual({ status: 400, code, data: null });
    expect(await client.sim('purchases')).toEqual([]);
    expect(await client.balance()).toBe(10_000_000);
  });

  it('accept an order, and deliver it later', async () => {
    const client = await bench.start();
    const { data, ...answer } = await client.order('A1');
    expect(answer).toEqual({ status: 200, code: 'SUCCESS' });
    expect(data).toEqual({ tid: expect.stringMatching(/^RA\d{18}$/), total_price: 16_560 });
    expect((await client.status('A1')).data).toEqual({
      status: 'PENDING',
      tid: data.tid,
      reference_id: 'A1',
      transactions: [
        {
          id: expect.stringMatching(/^\d+$/),
          product_name: '86 Diamonds ( 78 + 8 Bonus )',
          note: '',
          status: 'PENDING',
          voucher_code: '',
        },
      ],
    });
    await client.untilSettled();
    const done = await client.statusByTid(data.tid);
    expect(done.data).toMatchObject({ status: 'SUCCESS', reference_id: 'A1' });
    expect(transactionsOf(done)).toMatchObject([{ status: 'SUCCESS', voucher_code: '' }]);
    expect(await client.purchase('A1')).toMatchObject({
      times_bought: 1,
      standing: 1,
      price_debited: 16_560,
    });
    expect(await client.balance()).toBe(10_000_000 - 16_560);
  });

  it('accept an order that stays pending', async () => {
    const client = await bench.start();
    expect(await client.order('A1', { product_code: 'ML4649_883-S42' })).toMatchObject({ code: 'SUCCESS' });
    await client.sim('clock', { advance: '30d' });
    expect((await client.status('A1')).data).toMatchObject({ status: 'PENDING' });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 0, pending: 1 });
  });

  it('deliver a voucher with a code, which disappears after a refund', async () => {
    const client = await bench.start();
    const voucher = { product_code: 'VCGS330-S22', user_id: null, additional_id: null };
    expect(await client.order('A1', voucher)).toMatchObject({ code: 'SUCCESS' });
    expect(transactionsOf(await client.status('A1'))).toMatchObject([{ voucher_code: '' }]);
    await client.untilSettled();
    const [transaction] = transactionsOf(await client.status('A1'));
    expect(transaction).toMatchObject({ status: 'SUCCESS', voucher_code: expect.stringMatching(/^[0-9A-F]{16}$/) });
    expect((await client.purchase('A1')).voucher_codes).toEqual([transaction?.voucher_code]);
    await client.sim('settle', { ref_id: 'A1', status: 'REFUNDED' });
    expect(transactionsOf(await client.status('A1'))).toMatchObject([{ voucher_code: '' }]);
  });
});

describe('an order', () => {
  it('is found by our reference if its answer is lost', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: { ref_id: 'A1' }, drop: true });
    await expect(client.order('A1')).rejects.toThrow();
    expect(await client.status('A1')).toMatchObject({ code: 'SUCCESS', data: { reference_id: 'A1' } });
    expect(await client.purchase('A1')).toMatchObject({ sends: 1 });
  });

  it('is unknown if its request is lost, and can be sent again', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: { ref_id: 'A1' }, drop: true, decide: false });
    await expect(client.order('A1')).rejects.toThrow();
    expect(await client.status('A1')).toEqual({ status: 400, code: 'TID_NOT_FOUND', data: null });
    expect(await client.statusByTid('RA1')).toMatchObject({ code: 'TID_NOT_FOUND' });
    expect(await client.order('A1')).toMatchObject({ code: 'SUCCESS' });
    expect(await client.journal('A1')).toMatchObject([
      { call: 'order', decision: 'not decided', times_seen: 1, answer: { kind: 'dropped' } },
      { call: 'order_status', decision: 'refused', code: 'TID_NOT_FOUND' },
      { call: 'order', decision: 'accepted', times_seen: 2, same_body: true, sku: 'ML78_8-S2', price: null },
    ]);
    expect(await client.purchase('A1')).toMatchObject({ sends: 1 });
  });

  it('is found by its tid without our reference', async () => {
    const client = await bench.start();
    const { data } = await client.order('', { partner_reference_id: undefined });
    const { data: status } = await client.statusByTid(data.tid);
    expect(Object.keys(status)).toEqual(['status', 'tid', 'transactions']);
    expect(await client.status(String(data.tid))).toMatchObject({ code: 'TID_NOT_FOUND' });
    expect(await client.purchase(String(data.tid))).toMatchObject({ sends: 1 });
  });

  it.each<[string, Json, string]>([
    ['no user id', { user_id: '' }, 'USER_ID_EMPTY'],
    ['a space in it', { user_id: '123 456' }, 'USER_ID_CONTAIN_SPACE'],
    ['no zone', { additional_id: undefined }, 'USER_ID_EMPTY'],
    ['a product that is sold out', { product_code: 'ML13_1-S27' }, 'PRODUCT_EMPTY'],
    ['a voucher of which none is left', { product_code: 'VCGS66-S22' }, 'STOCK_NOT_FOUND'],
    ['a category that is closed to us', { product_code: 'DR10-S1' }, 'NOT_ALLOWED'],
    ['a price that is too low', { price: 16_559 }, 'PRICE_NOT_MATCH'],
    ['a price that is too high', { price: 16_561 }, 'PRICE_NOT_MATCH'],
  ])('is refused for %s', async (_case, more, code) => {
    const client = await bench.start();
    expect(await client.order('A1', more)).toMatchObject({ status: 400, code });
    expect(await client.sim('purchases')).toEqual([]);
  });

  it('of a Hoyoverse game needs the IP address of the player', async () => {
    const client = await bench.start();
    const genshin = { product_code: 'GI60-S13', additional_id: 'os_asia' };
    expect(await client.order('A1', genshin)).toMatchObject({ status: 500, code: 'UNKNOWN_ERROR' });
    const wrong = { ...genshin, end_user_ip_address: 'asia' };
    expect(await client.order('A1', wrong)).toMatchObject({ code: 'UNKNOWN_ERROR' });
    const right = { ...genshin, end_user_ip_address: '203.0.113.7' };
    expect(await client.order('A1', right)).toMatchObject({ code: 'SUCCESS' });
  });

  it('with the price of the list is accepted, until the balance is too low', async () => {
    const client = await bench.start({}, { balance: 20_000 });
    expect(await client.order('A1', { price: 16_560 })).toMatchObject({ code: 'SUCCESS' });
    expect(await client.order('A2')).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await client.sim('settle', { ref_id: 'A1', status: 'REFUNDED' });
    expect(await client.order('A2')).toMatchObject({ code: 'SUCCESS' });
  });

  it.each<[string, Json]>([
    ['without count_order', { count_order: undefined }],
    ['for no unit', { count_order: 0 }],
    ['without a product', { product_code: null }],
    ['with a price as text', { price: '16560' }],
    ['with a user id as a number', { user_id: 123456789 }],
    ['with an address that is none', { override_callback_url: 'here' }],
  ])('%s can’t be read', async (_case, more) => {
    const client = await bench.start();
    expect(await client.order('A1', more)).toMatchObject({ status: 500, code: 'UNKNOWN_ERROR', data: null });
    expect(await client.sim('purchases')).toEqual([]);
  });

  it('that is not JSON, or lacks the content type, can’t be read', async () => {
    const client = await bench.start();
    expect(await client.call('order', 'A1')).toMatchObject({ code: 'UNKNOWN_ERROR' });
    const headers = { authorization: 'Bearer lapak-5c20d7be-test', 'content-type': 'text/plain' };
    const body = JSON.stringify(client.orderBody('A1'));
    expect((await client.send('order', { method: 'POST', headers, body })).status).toBe(500);
    expect((await client.send('order')).status).toBe(404);
  });

  it('may have unknown fields, which the journal names', async () => {
    const client = await bench.start();
    expect(await client.order('A1', { colour: 'red' })).toMatchObject({ code: 'SUCCESS' });
    expect(await client.journal('A1')).toMatchObject([{ warnings: ['unknown field colour'] }]);
  });

  it('of a group buys its best product', async () => {
    const client = await bench.start();
    const group = { product_code: undefined, group_product: 'ML78_8' };
    expect((await client.order('A1', group)).data).toMatchObject({ total_price: 16_560 });
    await client.sim('account', { products: [{ code: 'ML78_8-S2', status: 'empty' }] });
    expect((await client.order('A2', group)).data).toMatchObject({ total_price: 16_200 });
    expect(await client.purchase('A2')).toMatchObject({ sku: 'ML78_8-S42' });
    const none = { ...group, country_code: 'th' };
    expect(await client.order('A3', none)).toMatchObject({ code: 'PRODUCT_NOT_FOUND' });
  });

  it('of several units can have several results', async () => {
    const client = await bench.start();
    expect((await client.order('A1', { count_order: 2 })).data).toMatchObject({ total_price: 33_120 });
    await client.sim('settle', { ref_id: 'A1', transactions: ['SUCCESS', 'PENDING'] });
    expect((await client.status('A1')).data).toMatchObject({ status: 'PENDING' });
    expect(await client.purchase('A1')).toMatchObject({ standing: 0, pending: 1 });
    await client.sim('settle', { ref_id: 'A1', transactions: ['SUCCESS', 'REFUNDED'] });
    expect(transactionsOf(await client.status('A1'))).toMatchObject([{ status: 'SUCCESS' }, { status: 'REFUNDED' }]);
    expect(await client.balance()).toBe(10_000_000 - 16_560);
  });

  it('can be refunded, also after a success', async () => {
    const client = await bench.start();
    const then = [
      { status: 'SUCCESS', after_ms: 1_000 },
      { status: 'REFUNDED', after_ms: 86_400_000, note: 'x' },
    ];
    await client.sim('rules', { match: {}, then });
    await client.order('A1');
    await client.untilSettled();
    expect(await client.purchase('A1')).toMatchObject({
      times_bought: 1,
      standing: 1,
      price_debited: 16_560,
    });
    await client.sim('clock', { advance: '1d' });
    expect((await client.status('A1')).data).toMatchObject({
      status: 'REFUNDED',
      transactions: [{ status: 'REFUNDED', note: 'x' }],
    });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1, standing: 0, price_debited: 0 });
    expect(await client.balance()).toBe(10_000_000);
  });
});

describe('a reference that is sent again', () => {
  it('gets the tid of the first order', async () => {
    const client = await bench.start();
    const first = await client.order('A1');
    expect(await client.order('A1')).toEqual(first);
    expect(await client.purchase('A1')).toMatchObject({ sends: 2, price_debited: 16_560 });
    expect(await client.order('A1', { user_id: '7' })).toEqual(first);
    expect((await client.journal('A1')).at(-1)).toMatchObject({
      decision: 'repeated',
      times_seen: 3,
      same_body: false,
      warnings: ['the reference is that of another product or player', 'the body is not that of the first send'],
    });
  });

  it('is refused in another reading, and buys again in a third one', async () => {
    const client = await bench.start({ repeated_reference: 'refused' });
    await client.order('A1');
    expect(await client.order('A1')).toEqual({ status: 500, code: 'UNKNOWN_ERROR', data: null });
    await client.sim('readings', { repeated_reference_code: 'NOT_ALLOWED' });
    expect(await client.order('A1')).toMatchObject({ status: 400, code: 'NOT_ALLOWED' });
    expect((await client.purchase('A1')).transactions).toHaveLength(1);
    await client.sim('readings', { repeated_reference: 'new_order' });
    await client.order('A1');
    await client.untilSettled();
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 2, price_debited: 33_120 });
  });

  it('is first checked like a new order, or only looked up', async () => {
    const client = await bench.start({}, { balance: 16_560 });
    const first = await client.order('A1');
    expect(await client.order('A1')).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(await client.purchase('A1')).toMatchObject({ sends: 1, pending: 1 });
    await client.sim('readings', { reference_lookup: 'first' });
    expect(await client.order('A1')).toEqual(first);
  });

  it('is a new order if the vendor has forgotten the first', async () => {
    const client = await bench.start({ reference_kept_days: 2 });
    const first = await client.order('A1');
    await client.sim('clock', { advance: '47h' });
    expect(await client.order('A1')).toEqual(first);
    await client.sim('clock', { advance: '2h' });
    expect((await client.order('A1')).data.tid).not.toBe(first.data.tid);
    expect((await client.purchase('A1')).transactions).toHaveLength(2);
  });
});
