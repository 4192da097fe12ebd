import { afterEach, describe, expect, it } from '@jest/globals';
import { DigiflazzBench, type DigiflazzClient, type Json, KEYS } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

const saldo = (rest: number): object => ({ buyer_last_saldo: rest });

describe('a purchase', () => {
  it('is debited, delivered and recorded', async () => {
    const client = await bench.start();
    const answer = await client.transaction('A1', { max_price: 20_000 });
    expect(answer).toEqual({
      status: 200,
      data: {
        ref_id: 'A1',
        customer_no: '1234567892001',
        buyer_sku_code: 'ml86',
        message: 'Transaksi Sukses',
        status: 'Sukses',
        rc: '00',
        sn: expect.stringMatching(/^\d{10}$/),
        price: 20_000,
        buyer_last_saldo: 980_000,
        tele: '',
        wa: '',
      },
    });
    expect((await client.balance()).data).toEqual({ deposit: 980_000 });
    expect(await client.sim('purchases')).toMatchObject([
      { ref_id: 'A1', sku: 'ml86', customer_no: '1234567892001', price_debited: 20_000, times_bought: 1 },
    ]);
  });

  it('under the same reference gets the first one’s state, and is bought once', async () => {
    const client = await bench.start();
    const first = await client.transaction('A1');
    await client.aMinuteLater();
    expect(await client.transaction('A1')).toEqual(first);
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1, standing: 1, sends: 2 });
    expect(await client.deposit()).toBe(980_000);
    expect(await client.journal('A1')).toMatchObject([
      { times_seen: 1, decision: 'bought', rc: '00', warnings: [] },
      { times_seen: 2, decision: 'repeated', rc: '00', warnings: [] },
    ]);
  });

  it('sent many times at once is bought once', async () => {
    const client = await bench.start();
    await Promise.all(Array.from({ length: 20 }, () => client.transaction('A1')));
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1, sends: 20, price_debited: 20_000 });
  });

  it('whose request was lost is made once, by the repeat', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: { ref_id: 'A1' }, drop: true, decide: false });
    await expect(client.transaction('A1')).rejects.toThrow();
    expect(await client.sim('purchases')).toEqual([]);
    expect((await client.transaction('A1')).data).toMatchObject({ status: 'Sukses', ...saldo(980_000) });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1 });
  });

  it('whose answer was lost is reported to a repeat', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: { ref_id: 'A1' }, drop: true });
    await expect(client.transaction('A1')).rejects.toThrow();
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ status: 'Sukses' });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1, sends: 2 });
  });

  it('is made again by a repeat after more than 90 days, and not after 90', async () => {
    const client = await bench.start();
    await client.transaction('A1');
    await client.sim('clock', { advance: '89d' });
    await client.transaction('A1');
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1 });

    await client.sim('clock', { advance: '2d' });
    expect((await client.transaction('A1')).data).toMatchObject(saldo(960_000));
    expect(await client.purchase('A1')).toMatchObject({
      times_bought: 2,
      standing: 2,
      price_debited: 40_000,
    });
    const warnings = (await client.journal('A1')).flatMap((entry) => entry.warnings);
    expect(warnings).toEqual(['repeated after 89 days', 'repeated after 91 days: a new transaction']);
  });

  it('repeated within a minute is refused by the limit, and stays bought', async () => {
    const client = await bench.start();
    await client.transaction('A1');
    await client.sim('clock', { advance: '20s' });
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '85', status: 'Gagal', sn: '' });
    expect(await client.purchase('A1')).toMatchObject({ status: 'Sukses', standing: 1 });
    expect((await client.journal('A1'))[1]).toMatchObject({
      warnings: [expect.stringMatching(/^repeated after [2-5]\d s$/)],
    });
  });

  it('repeated with other members gets a warning in the journal', async () => {
    const client = await bench.start();
    await client.transaction('A1', { max_price: 20_000 });
    await client.aMinuteLater();
    await client.transaction('A1', { max_price: 30_000 });
    await client.aMinuteLater();
    const other = await client.transaction('A1', { max_price: 20_000, customer_no: '777' });
    expect(other.data).toMatchObject({ status: 'Sukses', customer_no: '1234567892001' });
    expect((await client.journal('A1')).map(({ warnings }) => warnings)).toEqual([
      [],
      ['the body is not that of the first send'],
      ['the reference is that of another SKU or number', 'the body is not that of the first send'],
    ]);
  });

  it('also counts under a reference of another connection type', async () => {
    const client = await bench.start();
    const planted = { ref_id: 'A1', buyer_sku_code: 'ml86', customer_no: '555', sn: '9' };
    await client.sim('purchases', planted);
    expect((await client.transaction('A1')).data).toMatchObject({ customer_no: '555', sn: '9' });
    expect(await client.purchase('A1')).toMatchObject({ channel: 'jabber', times_bought: 1 });
  });
});

describe('the deposit', () => {
  it('and all debits together stay the same sum, with any end of transactions', async () => {
    const client = await bench.start();
    const ends = [
      { rc: '00' },
      { rc: '02' },
      { rc: '44' },
      { rc: '03', then: [{ rc: '00' }, { rc: '74' }] },
      { rc: '03', then: [{ rc: '54' }] },
      { rc: '01', then: [{ rc: '00', after_ms: 10 }] },
      { rc: '99', then: [] },
      { rc: '00', then: [{ rc: '74' }, { rc: '00' }] },
    ];
    await client.sim('rules', { rules: ends.map((end) => ({ match: {}, ...end })) });
    for (const n of ends.keys()) await client.transaction(`A${n}`, { customer_no: `P${n}` });
    await client.aMinuteLater();
    expect(await client.sim('account')).toMatchObject({ deposit: 920_000, debited: 80_000 });
    const standing = (await client.sim<Json[]>('purchases')).filter((each) => each.standing === 1);
    expect(standing.map(({ ref_id }) => ref_id)).toEqual(['A0', 'A5', 'A7']);
  });
});

describe('testing', () => {
  it.each([
    ['087800001230', { status: 'Sukses', rc: '00', sn: '1234567890', price: 10_000, ...saldo(990_000) }],
    ['087800001232', { status: 'Gagal', rc: '02', sn: '' }],
    ['087800001233', { status: 'Pending', rc: '03', sn: '' }],
    ['087800001234', { status: 'Pending', rc: '03', sn: '' }],
  ])('%s', async (customer_no, data) => {
    const client = await bench.start();
    const wanted = { testing: true, buyer_sku_code: 'xld10', customer_no };
    expect((await client.transaction('A1', wanted)).data).toMatchObject(data);
    expect(await client.deposit()).toBe(1_000_000);
  });

  it.each([
    ['087800001233', { status: 'Sukses', rc: '00', sn: '1234567890' }],
    ['087800001234', { status: 'Gagal', rc: '02' }],
  ])('%s ends by a callback', async (customer_no, end) => {
    const { client, receiver } = await bench.startWithWebhook({ create_event: 'not_sent' });
    await client.transaction('A1', { testing: true, buyer_sku_code: 'xld10', customer_no });
    await client.untilSettled();
    const [received] = await receiver.arrived('/hook');
    expect(JSON.parse(received?.body ?? '')).toMatchObject({ data: { ref_id: 'A1', ...end } });
  });
});

describe('the caller', () => {
  it.each<[string, (client: DigiflazzClient) => Promise<unknown>, object, string]>([
    ['another username', () => Promise.resolve(), { username: 'somebody' }, '42'],
    ['a wrong signature', () => Promise.resolve(), { sign: '0'.repeat(32) }, '41'],
    [
      'the key of development',
      (client) => client.sim('account', { keys: { production: 'other', development: KEYS.production } }),
      {},
      '41',
    ],
    [
      'an address that is not allowed',
      (client) => client.sim('account', { allow_list: { production: ['52.74.250.1'] } }),
      {},
      '45',
    ],
    ['an account that is not verified', (client) => client.sim('account', { rc: '82' }), {}, '82'],
    ['no sign at all', () => Promise.resolve(), { sign: undefined }, '40'],
    ['a number for a reference', () => Promise.resolve(), { ref_id: 7 }, '40'],
    ['max_price as text', () => Promise.resolve(), { max_price: '20000' }, '40'],
  ])('is refused with %s', async (_case, prepare, members, rc) => {
    const client = await bench.start();
    await prepare(client);
    expect(await client.transaction('A1', { ...members })).toMatchObject({
      status: 200,
      data: { rc, status: 'Gagal' },
    });
    expect(await client.sim('purchases')).toEqual([]);
  });

  it('is refused with the right signature in upper case', async () => {
    const client = await bench.start();
    const sign = String(client.transactionBody('A1').sign).toUpperCase();
    expect((await client.transaction('A1', { sign })).data).toMatchObject({ rc: '41' });
  });

  it('is refused while testing with the key of production', async () => {
    const client = await bench.start();
    const { sign } = client.transactionBody('A1');
    expect((await client.transaction('A1', { testing: true, sign })).data).toMatchObject({ rc: '41' });
  });

  it('has an allow list of addresses for development, and one for production', async () => {
    const client = await bench.start({}, { allow_list: { development: [] } });
    const wanted = { testing: true, customer_no: '087800001230' };
    expect((await client.transaction('A1', wanted)).data).toMatchObject({ rc: '45' });
    expect((await client.transaction('A2')).data).toMatchObject({ rc: '00' });
  });

  it('must send JSON by POST to an existing path; unknown fields are reported', async () => {
    const client = await bench.start();
    const body = JSON.stringify(client.transactionBody('A1'));
    const plain = await client.send('transaction', body, { headers: { 'content-type': 'text/plain' } });
    expect(await plain.json()).toMatchObject({ data: { rc: '40' } });
    const broken = await client.send('transaction', '{"ref_id":');
    expect(await broken.json()).toMatchObject({ data: { rc: '40' } });
    expect((await client.send('transaction', body, { method: 'PUT' })).status).toBe(405);
    expect((await client.send('transactions', body)).status).toBe(404);

    expect((await client.transaction('A2', { colour: 'red' })).data).toMatchObject({ rc: '00' });
    expect(await client.journal('A2')).toMatchObject([{ warnings: ['unknown field colour'] }]);
    expect(await client.sim('journal')).toHaveLength(5);
  });
});
