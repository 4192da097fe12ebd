import { afterEach, describe, expect, it } from '@jest/globals';
import { DigiflazzBench, type Json } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

const PENDING = ['03', '99'];
const MADE = '01 02 50 51 52 53 54 55 57 58 59 60 70 71 72 73 74 84 85 86'.split(' ');
const NOT_MADE = '40 41 42 43 44 45 47 49 56 61 62 63 64 65 66 67 68 69 80 81 82 83 87 88'.split(' ');

describe('a code as the first answer', () => {
  it.each(MADE)('%s uses the reference up', async (rc) => {
    const client = await bench.start();
    await client.sim('rules', { match: { player: '1234567892001' }, rc });
    expect((await client.transaction('A1')).data).toMatchObject({ rc, status: 'Gagal' });
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ rc, status: 'Gagal' });
    expect(await client.purchase('A1')).toMatchObject({ rc, times_bought: 0, price_debited: 0 });
  });

  it.each(PENDING)('%s is pending, and ends', async (rc) => {
    const client = await bench.start();
    await client.sim('rules', { match: { sku: 'ml86' }, rc });
    expect((await client.transaction('A1')).data).toMatchObject({ rc, status: 'Pending', sn: '' });
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 0, pending: 1, price_debited: 20_000 });
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '00', status: 'Sukses' });
  });

  it.each([...NOT_MADE, '97'])('%s records nothing: the reference may be sent again', async (rc) => {
    const client = await bench.start();
    await client.sim('rules', { match: { ref_id: 'A1' }, rc });
    expect((await client.transaction('A1')).data).toMatchObject({ ref_id: 'A1', rc, status: 'Gagal' });
    expect(await client.sim('purchases')).toEqual([]);
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '00' });
  });
});

describe('a code as the answer to a repeat', () => {
  it.each([...NOT_MADE, '97'])('%s does not change the first transaction', async (rc) => {
    const client = await bench.start();
    await client.transaction('A1');
    await client.sim('rules', { match: { repeat: true }, rc });
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ rc, status: 'Gagal' });
    expect(await client.purchase('A1')).toMatchObject({ status: 'Sukses', standing: 1 });
  });

  it('about the transaction itself becomes its state, and returns the money', async () => {
    const client = await bench.start();
    await client.transaction('A1', { buyer_sku_code: 'pending' });
    await client.sim('rules', { match: { repeat: true }, rc: '02' });
    expect((await client.transaction('A1', { buyer_sku_code: 'pending' })).data).toMatchObject({ rc: '02' });
    expect(await client.purchase('A1')).toMatchObject({ status: 'Gagal', price_debited: 0, standing: 0 });
    expect(await client.deposit()).toBe(1_000_000);
  });
});

describe('a reason for a refusal', () => {
  it.each<[string, Json, Json, string]>([
    ['an unknown SKU', {}, { buyer_sku_code: 'nothing' }, '43'],
    ['a SKU that we switched off', {}, { buyer_sku_code: 'buyer-off' }, '43'],
    ['no stock', {}, { buyer_sku_code: 'sold-out' }, '68'],
    ['a price above max_price', {}, { max_price: 19_999 }, '69'],
    ['too little deposit', { deposit: 19_999 }, {}, '44'],
    ['never a deposit', { deposit: 0, ever_deposited: false }, {}, '61'],
    ['a seller who blocked us', { products: [{ buyer_sku_code: 'ml86', rc: '80' }] }, {}, '80'],
  ])('%s: nothing is recorded', async (_case, account, members, rc) => {
    const client = await bench.start({}, account);
    expect((await client.transaction('A1', members)).data).toMatchObject({ rc, status: 'Gagal' });
    expect(await client.sim('purchases')).toEqual([]);
  });

  it.each<[string, Json, Json, string]>([
    ['a SKU that the seller switched off', {}, { buyer_sku_code: 'seller-off' }, '53'],
    ['a disturbed product', { products: [{ buyer_sku_code: 'ml86', rc: '55' }] }, {}, '55'],
    ['a dot in the number', {}, { customer_no: '1234.2001' }, '54'],
    [
      'a number of the wrong form',
      { products: [{ buyer_sku_code: 'ml86', customer_no_pattern: '^[0-9]+$' }] },
      { customer_no: '1234 + 2001' },
      '57',
    ],
  ])('%s: the reference is used up', async (_case, account, members, rc) => {
    const client = await bench.start({}, account);
    expect((await client.transaction('A1', members)).data).toMatchObject({ rc, status: 'Gagal' });
    expect(await client.purchase('A1')).toMatchObject({ rc, times_bought: 0, price_debited: 0 });
  });

  it('is not an allowed dot, or a price equal to max_price', async () => {
    const client = await bench.start();
    const wanted = { customer_no: '1234.2001', allow_dot: true, max_price: 20_000 };
    expect((await client.transaction('A1', wanted)).data).toMatchObject({
      rc: '00',
      customer_no: '1234.2001',
    });
  });

  it('is checked before the reference is looked up, or after it', async () => {
    const client = await bench.start({}, { deposit: 20_000 });
    await client.transaction('A1');
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '44' });
    expect(await client.purchase('A1')).toMatchObject({ status: 'Sukses' });
    await client.aMinuteLater();
    await client.sim('readings', { reference_lookup: 'first' });
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '00' });
  });

  it('is missing stock, until a pending purchase fails', async () => {
    const products = [{ buyer_sku_code: 'last', unlimited_stock: false, stock: 1, rc: '03' }];
    const client = await bench.start({}, { products });
    expect((await client.transaction('A1', { buyer_sku_code: 'last' })).data).toMatchObject({ rc: '03' });
    expect((await client.transaction('A2', { buyer_sku_code: 'last' })).data).toMatchObject({ rc: '68' });
    await client.sim('settle', { ref_id: 'A1', status: 'Gagal' });
    expect((await client.transaction('A2', { buyer_sku_code: 'last' })).data).toMatchObject({ rc: '03' });
  });
});

describe('a cut-off from 23:45 to 00:15 in Jakarta', () => {
  it.each<[string, Json, string]>([
    ['23:44', {}, '00'],
    ['23:45', {}, '58'],
    ['23:50', {}, '58'],
    ['00:10', {}, '58'],
    ['00:10', { cut_off_rc: '66' }, '66'],
    ['00:15', {}, '58'],
    ['00:15', { cut_off_end: 'exclusive' }, '00'],
    ['00:20', {}, '00'],
    ['16:50', { utc_offset_minutes: 0 }, '00'],
  ])('at %s, read as %j: %s', async (until, readings, rc) => {
    const client = await bench.start(readings);
    expect(await client.sim('clock', { until })).toMatchObject({ local: until });
    expect((await client.transaction('A1', { buyer_sku_code: 'cut-off' })).data).toMatchObject({ rc });
  });

  it.each(['00:00', '0:0'])('does not exist if it starts and ends at %s', async (time) => {
    const change = { buyer_sku_code: 'cut-off', start_cut_off: time, end_cut_off: time };
    const client = await bench.start({}, { products: [change] });
    await client.sim('clock', { until: '00:00' });
    expect((await client.transaction('A1', { buyer_sku_code: 'cut-off' })).data).toMatchObject({ rc: '00' });
  });
});

describe('multi=false', () => {
  const sku = { buyer_sku_code: 'once-a-day' };

  it('sells one a day to a number; a repeat of its reference does not count', async () => {
    const client = await bench.start();
    expect((await client.transaction('A1', sku)).data).toMatchObject({ rc: '00' });
    expect((await client.transaction('A2', sku)).data).toMatchObject({ rc: '63' });
    expect((await client.transaction('A3', { ...sku, customer_no: '777' })).data).toMatchObject({ rc: '00' });
    await client.aMinuteLater();
    expect((await client.transaction('A1', sku)).data).toMatchObject({ rc: '00' });
    await client.sim('clock', { advance: '24h' });
    expect((await client.transaction('A2', sku)).data).toMatchObject({ rc: '00' });
  });

  it.each([
    ['rolling_24h', '63'],
    ['calendar_day', '00'],
  ])('with a day in the reading %s: rc %s soon after midnight', async (multi_window, rc) => {
    const client = await bench.start({ multi_window });
    await client.sim('clock', { until: '23:00' });
    await client.transaction('A1', sku);
    await client.sim('clock', { advance: '90m' });
    expect((await client.transaction('A2', sku)).data).toMatchObject({ rc });
  });

  it.each([
    ['made', '63'],
    ['standing', '00'],
  ])('with counts in the reading %s: rc %s after a failure', async (multi_counts, rc) => {
    const client = await bench.start({ multi_counts });
    await client.sim('rules', { match: { ref_id: 'A1' }, rc: '02' });
    await client.transaction('A1', sku);
    expect((await client.transaction('A2', sku)).data).toMatchObject({ rc });
  });
});
