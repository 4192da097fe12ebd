import { afterEach, describe, expect, it } from '@jest/globals';
import { expectSince } from '../support/expectations.js';
import { SeagmBench, sign, type Json } from './seagm-client.js';

const bench = new SeagmBench();
afterEach(() => bench.clear());

describe('a purchase', () => {
  it('is pending and charged at first, and succeeds later', async () => {
    const client = await bench.start();
    const answer = await client.buy('REF1');
    expect(answer).toMatchObject({
      http: 200,
      code: 200,
      data: {
        mch_order_id: 'REF1',
        type_id: 6401,
        currency: 'MYR',
        unit_price: '4.35',
        pay_amount: '4.35',
        buy_amount: 1,
        send_amount: 0,
        status_code: 10001,
        pay_status_code: 2,
        refunded_amount: '0.00',
      },
    });
    await client.untilSettled();
    const done = { id: answer.data?.id, status_code: 10003, send_amount: 1 };
    expect(await client.inquire('REF1')).toMatchObject({ data: done });
    expect(await client.inquire(answer.data?.id as string, 'orderId')).toMatchObject({ data: done });
    expect(await client.purchase('REF1')).toMatchObject({
      standing: 1,
      times_bought: 1,
      price_debited: '4.3500',
    });
    expect(await client.get('v1/me')).toMatchObject({ data: { credits: '9995.65', currency: 'MYR' } });
  });

  it('of a card has its serial and PIN once it succeeded', async () => {
    const client = await bench.start();
    const then = [
      { status_code: 10003, with_cards: false },
      { status_code: 10003, after_ms: 60_000, cards: [{ sn: 'S1', pin: 'P1', expired: '2031-01-01' }] },
    ];
    await client.sim('rules', { match: {}, then });
    expect((await client.card('REF1')).data?.cards).toEqual([]);
    await client.advance(1);
    const without = await client.inquire('REF1', 'mchOrderId', 'card');
    expect(without.data).toMatchObject({ status_code: 10003, cards: [] });
    await client.advance(60);
    const done = await client.inquire('REF1', 'mchOrderId', 'card');
    expect(done.data?.cards).toEqual([{ sn: 'S1', pin: 'P1', expired: '2031-01-01' }]);
    expect(await client.inquire('REF1')).toMatchObject({ http: 404, code: 404 });
    expect(await client.purchase('REF1')).toMatchObject({ sku: 'card:901', times_bought: 1 });
  });

  it.each<[string, Record<string, string>, Json]>([
    ['a type that is not there', { type_id: '1' }, { code: 400, error_info: { info_code: 20077 } }],
    ['a type of cards', { type_id: '901' }, { code: 400, error_info: { info_code: 20077 } }],
    ['no reference', { mch_order_id: '' }, { code: 400, msg: 'mch_order_id is not valid' }],
    ['no amount', { buy_amount: '0' }, { code: 400, msg: 'buy_amount is not valid' }],
    ['no player', { userid: '' }, { code: 400, msg: 'userid is not valid' }],
    ['no server', { type_id: '6351' }, { code: 400, msg: 'serverid is not valid' }],
    ['a server', { type_id: '6351', serverid: '9' }, { code: 200 }],
    ['too many', { buy_amount: '9999' }, { code: 406, http: 406 }],
  ])('with %s', async (_case, fields, answer) => {
    const client = await bench.start();
    expect(await client.buy('REF1', fields)).toMatchObject(answer);
    expect(await client.sim<Json[]>('purchases')).toHaveLength(answer.code === 200 ? 1 : 0);
  });

  it.each<[string, number, Json]>([
    ['buys_again', 2, { code: 200 }],
    ['same_order', 1, { code: 200 }],
    ['refused', 1, { code: 400 }],
  ])('with a repeated reference: %s', async (repeated_reference, times_bought, answer) => {
    const client = await bench.start({ repeated_reference });
    await client.buy('REF1');
    expect(await client.buy('REF1')).toMatchObject(answer);
    await client.untilSettled();
    expect(await client.purchase('REF1')).toMatchObject({ times_bought });
  });

  it.each<[string, number, string]>([
    ['when_failed', 10004, '0.0000'],
    ['when_refunded', 10004, '4.3500'],
    ['when_refunded', 10005, '0.0000'],
  ])('returns the money %s: %d', async (money_back, status_code, price_debited) => {
    const client = await bench.start({ money_back });
    const later = { status_code, after_ms: 1_000, refunded_reason: 'wrong id' };
    await client.sim('rules', { match: {}, then: [{ status_code: 10003 }, later] });
    await client.buy('REF1');
    await client.advance(2);
    expect(await client.purchase('REF1')).toMatchObject({ times_bought: 1, standing: 0, price_debited });
    expect(await client.inquire('REF1')).toMatchObject({
      data: { status_code, refunded_reason: 'wrong id' },
    });
  });
});

describe('the signature', () => {
  it('covers query and body, form-encoded, in upper or lower case', async () => {
    const client = await bench.start();
    const fields = { type_id: '6401', buy_amount: '1', userid: 'A B&C', mch_order_id: 'REF1' };
    expect(await client.post('v1/recharge-orders', fields)).toMatchObject({ code: 200 });
    const { signature = '', ...own } = client.signed(fields);
    const shouted = { ...own, signature: signature.toUpperCase() };
    expect(await client.post('v1/recharge-orders', fields, shouted)).toMatchObject({ code: 200 });
    expect(await client.journal('REF1')).toMatchObject([{ player: 'A B&C' }, { times_seen: 2 }]);
  });

  it.each<[Json, Record<string, string>, number]>([
    [{}, { signature: sign({ uid: '10001' }) }, 1022],
    [{ signature_error: '1002' }, { signature: 'x' }, 1002],
    [{}, { uid: '10002' }, 401],
    [{}, { timestamp: '1760000000' }, 1021],
    [{ clock_error: '1024' }, { timestamp: 'now' }, 1024],
    [{}, { other: 'not signed' }, 1022],
  ])('%j: with %j', async (readings, more, code) => {
    const client = await bench.start(readings);
    const fields = { type_id: '6401', buy_amount: '1', userid: '1', mch_order_id: 'REF1' };
    const answer = await client.post('v1/recharge-orders', fields, more);
    expect(answer).toMatchObject({ code, http: code === 401 ? 401 : 400 });
    expect(await client.sim('purchases')).toEqual([]);
  });

  it.each([
    [-60, 200],
    [-121, 1021],
    [115, 200],
    [180, 1021],
  ])('is checked with a clock that is %d seconds off: %d', async (aheadSeconds, code) => {
    const client = await bench.start();
    client.aheadSeconds = aheadSeconds;
    expect(await client.get('v1/me')).toMatchObject({ code });
    const beforeMs = Date.now();
    const time = (await (await fetch(`${client.url}/time`)).json()) as { data: { timestamp: number } };
    expectSince(beforeMs, time.data.timestamp * 1_000, 1_000);
  });
});

describe('the catalogue', () => {
  it('has categories, their types, and each type by its id', async () => {
    const client = await bench.start();
    expect((await client.get('v1/recharge-categories')).data).toMatchObject([
      { id: 1, name: 'Free Fire', code: 'free-fire' },
      { id: 2, name: 'Mobile Legends' },
    ]);
    expect((await client.get('v1/card-categories/3/card-types')).data).toMatchObject([{ id: 901 }, { id: 902 }]);
    expect((await client.get('v1/recharge-types/6351')).data).toMatchObject({
      id: 6351,
      unit_price: '5.7001',
      currency: 'MYR',
      account_check: true,
      fields: [{ name: 'userid' }, { name: 'serverid' }],
    });
    expect(await client.get('v1/recharge-types/901')).toMatchObject({ code: 404 });
    expect(await client.get('v1/card-categories/1/card-types')).toMatchObject({ code: 404 });
  });

  it('changes with the settings of the account', async () => {
    const client = await bench.start({ amount_type: 'number' });
    const types = [
      { id: 6401, unit_price: '4.5' },
      { id: 7, category_id: 9, name: 'New' },
    ];
    await client.sim('account', { types, remove_types: [6402] });
    expect((await client.get('v1/recharge-types/6401')).data).toMatchObject({ unit_price: 4.5 });
    expect((await client.get('v1/recharge-categories/9/recharge-types')).data).toMatchObject([{ id: 7 }]);
    expect(await client.get('v1/recharge-types/6402')).toMatchObject({ code: 404 });
    await client.sim('rules', { match: { call: 'categories' }, list: 'empty' });
    expect((await client.get('v1/recharge-categories')).data).toEqual([]);
  });
});
