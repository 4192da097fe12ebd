import { afterEach, describe, expect, it } from '@jest/globals';
import { CODES } from '../../tools/simulators/lapakgaming/codes.js';
import { type Answer, type Json, LapakgamingBench, type LapakgamingClient } from './lapakgaming-client.js';

const bench = new LapakgamingBench();
afterEach(() => bench.clear());

type Act = (client: LapakgamingClient) => Promise<Answer>;

const buy =
  (more: Json = {}): Act =>
  (client) =>
    client.order('A1', more);

const buyAndAsk =
  (more: Json = {}): Act =>
  async (client) => {
    await client.order('A1', more);
    return client.status('A1');
  };

const settleAndAsk =
  (more: Json, settlement: Json = {}): Act =>
  async (client) => {
    await client.order('A1', more);
    await client.sim('settle', { ref_id: 'A1', ...settlement });
    return client.status('A1');
  };

const ask: Act = (client) => client.status('A9');
const genshin = { product_code: 'GI60-S13', additional_id: 'os_asia' };
const mixed = { transactions: ['SUCCESS', 'PENDING'] };

describe('each reading', () => {
  it.each<[Json, Act, Json]>([
    [{ unknown_order: 'TID_NOT_FOUND' }, ask, { status: 400, code: 'TID_NOT_FOUND', data: null }],
    [{ unknown_order: 'SYSTEM_ERROR' }, ask, { status: 500, code: 'SYSTEM_ERROR' }],
    [{ unknown_order: 'no_data' }, ask, { status: 200, code: 'SUCCESS', data: null }],
    [{ order_unknown_for_ms: 60_000 }, buyAndAsk(), { code: 'TID_NOT_FOUND' }],
    [{ price_check: 'equality' }, buy({ price: 20_000 }), { code: 'PRICE_NOT_MATCH' }],
    [{ price_check: 'maximum' }, buy({ price: 20_000 }), { code: 'SUCCESS' }],
    [{ price_check: 'maximum' }, buy({ price: 16_559 }), { code: 'PRICE_NOT_MATCH' }],
    [{ price_basis: 'per_piece' }, buy({ count_order: 2, price: 33_120 }), { code: 'PRICE_NOT_MATCH' }],
    [{ price_basis: 'total' }, buy({ count_order: 2, price: 33_120 }), { code: 'SUCCESS' }],
    [{ malformed_code: 'SYSTEM_ERROR' }, buy({ count_order: '1' }), { status: 500, code: 'SYSTEM_ERROR' }],
    [{ malformed_code: 'NOT_ALLOWED' }, buy({ count_order: '1' }), { status: 400, code: 'NOT_ALLOWED' }],
    [{ end_user_ip_missing: 'NOT_ALLOWED' }, buy(genshin), { status: 400, code: 'NOT_ALLOWED' }],
    [{ additional_id_missing: 'refunded' }, buy({ additional_id: '' }), { code: 'SUCCESS' }],
    [{ refusal_data: 'empty_object' }, ask, { data: {} }],
    [{ refusal_http_status: 200 }, ask, { status: 200, code: 'TID_NOT_FOUND' }],
    [{ system_error_http_status: 200 }, buy({ price: '1' }), { status: 200, code: 'UNKNOWN_ERROR' }],
    [{ mixed_order_status: 'PENDING' }, settleAndAsk({ count_order: 2 }, mixed), { data: { status: 'PENDING' } }],
    [{ mixed_order_status: 'SUCCESS' }, settleAndAsk({ count_order: 2 }, mixed), { data: { status: 'SUCCESS' } }],
    [{ pending_transactions: 'absent' }, buyAndAsk(), { data: { status: 'PENDING', transactions: [] } }],
    [{ status_case: 'lower' }, settleAndAsk({}), { data: { transactions: [{ status: 'success' }] } }],
    [
      { voucher_code_form: 'pin_and_serial' },
      settleAndAsk({ product_code: 'VCGS330-S22' }),
      {
        data: {
          transactions: [{ voucher_code: expect.stringMatching(/^PIN : [0-9A-F]{16}\tSerial : \d{9}$/) }],
        },
      },
    ],
  ])('%j', async (readings, act, answer) => {
    const client = await bench.start(readings);
    expect(await act(client)).toMatchObject(answer);
  });

  it('of a missing server: the order is refunded later', async () => {
    const client = await bench.start({ additional_id_missing: 'refunded' });
    await client.order('A1', { additional_id: undefined });
    await client.untilSettled();
    expect((await client.status('A1')).data).toMatchObject({ status: 'REFUNDED' });
    expect(await client.balance()).toBe(10_000_000);
  });

  it('of the reference: an inquiry may lack it, while a callback has it', async () => {
    const { client, receiver } = await bench.startWithCallbacks({ reference_in_status: 'absent' });
    const { data } = await settleAndAsk({})(client);
    expect(Object.keys(data)).not.toContain('reference_id');
    await client.sim('callbacks', { ref_id: 'A1' });
    expect(receiver.at('/order').at(-1)?.body).toContain('"reference_id":"A1"');
  });

  it('of the code of a callback: it may be the status of the order', async () => {
    const { client, receiver } = await bench.startWithCallbacks({ callback_code: 'order_status' });
    await client.order('A1', { product_code: 'ML4649_883-S42' });
    await client.sim('callbacks', { ref_id: 'A1', set: { status: 'REFUNDED' } });
    expect(JSON.parse(receiver.at('/order')[0]?.body ?? '')).toMatchObject({ code: 'PENDING' });
  });

  it('can be changed while the simulator runs, to an existing value', async () => {
    const client = await bench.start();
    expect(await client.sim('readings', { status_case: 'lower' })).toMatchObject({ status_case: 'lower' });
    await expect(client.sim('readings', { colour: 'red' })).rejects.toThrow('there is no reading colour');
    await expect(client.sim('readings', { status_case: 'mixed' })).rejects.toThrow('must be one of upper, lower');
  });
});

describe('a code by a rule', () => {
  it.each(CODES.filter((code) => code !== 'SUCCESS'))('%s is a refusal that records nothing', async (code) => {
    const client = await bench.start();
    await client.sim('rules', { match: { sku: 'ML78_8-S2' }, code });
    expect(await client.order('A1')).toMatchObject({ code, data: null });
    expect(await client.sim('purchases')).toEqual([]);
    expect(await client.order('A1')).toMatchObject({ code: 'SUCCESS' });
  });

  it.each(['SYSTEM_ERROR', 'PRODUCT_EMPTY', 'A_NEW_CODE'])('%s may be false', async (code) => {
    const client = await bench.start();
    await client.sim('rules', { match: { player: '123456789' }, code, answer_only: true });
    expect(await client.order('A1')).toMatchObject({ code, data: null });
    expect(await client.purchase('A1')).toMatchObject({ sends: 1, pending: 1 });
    expect(await client.journal('A1')).toMatchObject([{ decision: 'accepted', code, rule: 1 }]);
  });

  it('may apply to other calls, and to inquiries about one order', async () => {
    const client = await bench.start();
    await client.sim('rules', {
      rules: [
        { match: { call: 'balance' }, code: 'SYSTEM_ERROR' },
        { match: { call: 'order_status', ref_id: 'A1' }, code: 'TID_NOT_FOUND', times: 2 },
      ],
    });
    expect(await client.call('balance')).toMatchObject({ status: 500, code: 'SYSTEM_ERROR' });
    const { data } = await client.order('A1');
    await client.order('A2');
    expect(await client.status('A2')).toMatchObject({ code: 'SUCCESS' });
    expect(await client.status('A1')).toMatchObject({ code: 'TID_NOT_FOUND' });
    expect(await client.statusByTid(data.tid)).toMatchObject({ code: 'TID_NOT_FOUND' });
    expect(await client.status('A1')).toMatchObject({ code: 'SUCCESS' });
  });
});

describe('an answer by a rule', () => {
  it('has SUCCESS for an order with a pending transaction', async () => {
    const client = await bench.start();
    const then = [
      { status: 'SUCCESS', transactions: ['PENDING'] },
      { status: 'SUCCESS', after_ms: 60_000 },
    ];
    await client.sim('rules', { match: {}, then });
    await client.order('A1');
    const asked = async (): Promise<Json> => (await client.status('A1')).data;
    await client.sim('clock', { advance: 1 });
    expect(await asked()).toMatchObject({ status: 'SUCCESS', transactions: [{ status: 'PENDING' }] });
    expect(await client.purchase('A1')).toMatchObject({ standing: 0, pending: 1 });
    await client.sim('clock', { advance: '60s' });
    expect(await asked()).toMatchObject({ status: 'SUCCESS', transactions: [{ status: 'SUCCESS' }] });
  });

  it('delivers a voucher without its code, or with a given one', async () => {
    const client = await bench.start();
    const rules = ['', 'ABC-1'].map((voucher_code) => ({ match: {}, voucher_code, note: 'n' }));
    await client.sim('rules', { rules });
    for (const refId of ['A1', 'A2']) await client.order(refId, { product_code: 'VCGS330-S22' });
    await client.untilSettled();
    const transactionsOf = async (refId: string): Promise<unknown> => (await client.status(refId)).data.transactions;
    expect(await transactionsOf('A1')).toMatchObject([{ status: 'SUCCESS', voucher_code: '', note: 'n' }]);
    expect(await transactionsOf('A2')).toMatchObject([{ status: 'SUCCESS', voucher_code: 'ABC-1' }]);
  });

  it.each<[Json, Json]>([
    [{ set: { total_price: 1 } }, { code: 'SUCCESS', data: { total_price: 1 } }],
    [{ omit: ['tid'] }, { code: 'SUCCESS', data: { total_price: 16_560 } }],
    [{ numbers_as_text: true }, { data: { total_price: '16560' } }],
    [{ extra_fields: true }, { data: { x_null: null }, x_meta: { version: 2 } }],
    [
      { code: 'PRODUCT_EMPTY', http: 200 },
      { status: 200, code: 'PRODUCT_EMPTY' },
    ],
    [{ gzip: true }, { code: 'SUCCESS' }],
  ])('%j', async (rule, answer) => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, ...rule });
    expect(await client.order('A1')).toMatchObject(answer);
  });

  it('has no data', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, body: 'no_data' });
    expect(await client.order('A1')).toEqual({ status: 200, code: 'SUCCESS' });
  });
});

describe('the control surface', () => {
  it.each<[string, Json, string]>([
    ['account', { colour: 1 }, 'account has no member colour'],
    ['account', { callback_url: 'nowhere' }, 'account.callback_url must be a URL or null'],
    ['account', { products: [{ price: 1 }] }, 'a product needs code'],
    ['account', { products: [{ code: 'x', status: 'off' }] }, 'product.status must be one of'],
    ['account', { categories: [{ name: 'x' }] }, 'a category needs code'],
    ['rules', { match: {}, code: 'empty' }, 'rule.code must be a code in capital letters'],
    ['rules', { match: {}, then: [{ after_ms: 1 }] }, 'then.status is required'],
    ['rules', { match: { call: 'transaction' } }, 'match.call must be one of "order"'],
    ['settle', { ref_id: 'A9' }, 'there is no transaction A9'],
    ['callbacks', { redeliver: 7 }, 'there is no callback 7'],
    ['nothing', {}, 'there is no POST /_sim/nothing'],
  ])('%s refuses %j', async (path, body, message) => {
    const client = await bench.start();
    await expect(client.sim(path, body)).rejects.toThrow(message);
  });

  it('adds and changes categories', async () => {
    const client = await bench.start();
    await client.sim('account', {
      categories: [
        { code: 'ML', forms: [{ name: 'user_id', type: 'tel', options: [] }] },
        { code: 'NEW', end_user_ip: true },
      ],
      products: [{ code: 'NEW1-S1', category_code: 'NEW' }],
    });
    expect(await client.order('A1', { additional_id: '' })).toMatchObject({ code: 'SUCCESS' });
    expect(await client.order('A2', { product_code: 'NEW1-S1' })).toMatchObject({ code: 'UNKNOWN_ERROR' });
  });
});
