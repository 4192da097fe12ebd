import { afterEach, describe, expect, it } from '@jest/globals';
import { DigiflazzBench, type DigiflazzClient, type Json, KEYS } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

type Act = (client: DigiflazzClient) => Promise<Json>;

const buy =
  (more: Json = {}, refId = 'A1'): Act =>
  async (client) =>
    (await client.transaction(refId, more)).data;

const buyTwice =
  (second: Json = {}, waitMs = 61_000): Act =>
  async (client) => {
    await client.transaction('A1');
    await client.sim('clock', { advance: waitMs });
    return buy(second)(client);
  };

/** A request with `testing`, signed with the production key. */
const testWithOtherKey: Act = (client) => {
  const { sign } = client.transactionBody('A1');
  return buy({ testing: true, customer_no: '087800001230', sign })(client);
};

const balanceByDevelopment: Act = async (client) => {
  await client.sim('account', { keys: { development: KEYS.production, production: 'other' } });
  return (await client.balance()).data;
};

describe('each reading', () => {
  it.each<[Json, Act, Json]>([
    [{ repeat_too_early: 'rc_85' }, buyTwice({}, 30_000), { rc: '85' }],
    [{ repeat_too_early: 'allowed' }, buyTwice({}, 0), { rc: '00' }],
    [{ repeat_gap_seconds: 10 }, buyTwice({}, 11_000), { rc: '00' }],
    [{ new_transaction_after_days: 2 }, buyTwice({}, 3 * 86_400_000), { buyer_last_saldo: 960_000 }],
    [{ reference_lookup: 'last' }, buyTwice({ max_price: 1 }), { rc: '69' }],
    [{ reference_lookup: 'first' }, buyTwice({ max_price: 1 }), { rc: '00' }],
    [{ repeat_with_other_content: 'first_transaction' }, buyTwice({ customer_no: '7' }), { rc: '00' }],
    [{ repeat_with_other_content: 'rc_49' }, buyTwice({ customer_no: '7' }), { rc: '49', customer_no: '7' }],
    [{ transaction_key: 'by_testing' }, testWithOtherKey, { rc: '41' }],
    [{ transaction_key: 'either' }, testWithOtherKey, { rc: '00' }],
    [{ read_key: 'either' }, balanceByDevelopment, { deposit: 1_000_000 }],
    [{ read_key: 'production' }, balanceByDevelopment, { rc: '41' }],
    [{ test_sku: 'any' }, buy({ testing: true, customer_no: '087800001230' }), { rc: '00' }],
    [{ test_sku: 'xld10' }, buy({ testing: true, customer_no: '087800001230' }), { rc: '43' }],
    [{ unknown_test_number: '54' }, buy({ testing: true }), { rc: '54' }],
    [{ unknown_test_number: '03' }, buy({ testing: true }), { rc: '03' }],
    [{ rc_type: 'number' }, buy(), { rc: 0 }],
    [{ seller_off_rc: '53' }, buy({ buyer_sku_code: 'seller-off' }), { rc: '53' }],
    [{ seller_off_rc: '62' }, buy({ buyer_sku_code: 'seller-off' }), { rc: '62' }],
    [{ dot_without_allow_dot: 'strip' }, buy({ customer_no: '1.2' }), { rc: '00', customer_no: '12' }],
    [{ dot_without_allow_dot: 'keep' }, buy({ customer_no: '1.2' }), { rc: '00', customer_no: '1.2' }],
    [{ optional_members: 'present' }, buy({ buyer_sku_code: 'pending' }), { sn: '', tele: '', wa: '' }],
  ])('%j', async (readings, act, data) => {
    const client = await bench.start(readings);
    expect(await act(client)).toMatchObject(data);
  });

  it('of optional members: they can be absent; the sn only while it has no value', async () => {
    const client = await bench.start({ optional_members: 'absent' });
    const pending = await buy({ buyer_sku_code: 'pending' })(client);
    const success = await buy({}, 'A2')(client);
    const members = ['ref_id', 'customer_no', 'buyer_sku_code', 'message', 'status', 'rc', 'price'];
    expect(Object.keys(pending).sort()).toEqual([...members].sort());
    expect(Object.keys(success).sort()).toEqual([...members, 'sn'].sort());
  });

  it('of refusals: they may have another HTTP status', async () => {
    const client = await bench.start({ refusal_http_status: 400 });
    const refused = await client.transaction('A1', { buyer_sku_code: 'nothing' });
    expect(refused).toMatchObject({ status: 400, data: { rc: '43' } });
    expect(await client.balance({ sign: 'x' })).toMatchObject({ status: 400, data: { rc: '41' } });
    expect((await client.transaction('A2')).status).toBe(200);
  });

  it('of the limit of transactions a minute: rc 85 uses the reference up, and another one works later', async () => {
    const client = await bench.start({ transactions_per_minute: 1 });
    await client.transaction('A1');
    expect((await client.transaction('A2', { customer_no: '2' })).data).toMatchObject({ rc: '85' });
    await client.aMinuteLater();
    expect((await client.transaction('A2', { customer_no: '2' })).data).toMatchObject({ rc: '85' });
    expect((await client.transaction('A3', { customer_no: '2' })).data).toMatchObject({ rc: '00' });
  });

  it('can be changed while the simulator runs, to an existing value', async () => {
    const client = await bench.start();
    expect(await client.sim('readings', { rc_type: 'number' })).toMatchObject({ rc_type: 'number' });
    for (const [wrong, message] of [
      [{ colour: 'red' }, 'there is no reading colour'],
      [{ rc_type: 'roman' }, 'rc_type must be one of text, number'],
      [{ repeat_gap_seconds: -1 }, 'repeat_gap_seconds must be an integer from 0'],
      [{ retry_schedule_ms: 5 }, 'retry_schedule_ms must be a list of numbers'],
    ] as const) {
      await expect(client.sim('readings', wrong)).rejects.toThrow(message);
    }
    expect(await client.sim('readings')).toMatchObject({ rc_type: 'number', repeat_gap_seconds: 60 });
  });
});

describe('the control surface', () => {
  it.each<[string, Json, string]>([
    ['account', { colour: 1 }, 'account has no member colour'],
    ['account', { keys: { test: 'k' } }, 'keys has no member test'],
    ['account', { webhook: { url: 'nowhere' } }, 'webhook.url must be a URL'],
    ['account', { products: [{ price: 1 }] }, 'a product needs buyer_sku_code'],
    ['account', { products: [{ buyer_sku_code: 'x', start_cut_off: '25:00' }] }, 'must be a time hh:mm'],
    ['clock', { advance: 'a day' }, 'clock.advance must be milliseconds'],
    ['settle', { ref_id: 'A9' }, 'there is no transaction A9'],
    ['settle', { ref_id: 'A9', rc: '44' }, 'settle.rc must be a code that forms a transaction'],
    ['purchases', { ref_id: 'A9' }, 'ref_id, buyer_sku_code and customer_no are required'],
    ['callbacks', { redeliver: 7 }, 'there is no callback 7'],
    ['ping', {}, 'no webhook is set up'],
    ['nothing', {}, 'there is no POST /_sim/nothing'],
  ])('%s refuses %j', async (path, body, message) => {
    const client = await bench.start();
    await expect(client.sim(path, body)).rejects.toThrow(message);
  });
});
