import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { DigiflazzBench, type DigiflazzClient, type Json } from './digiflazz-client.js';

const bench = new DigiflazzBench();
afterEach(() => bench.clear());

/** Sends a purchase and returns the raw answer. */
const send = (client: DigiflazzClient, refId = 'A1'): Promise<Response> =>
  client.send('transaction', JSON.stringify(client.transactionBody(refId)));

describe('a rule', () => {
  it.each<[string, Json, string[]]>([
    ['once, unless it says more', {}, ['02', '00', '00', '00']],
    ['so many times', { times: 2 }, ['02', '02', '00', '00']],
    ['always', { times: null }, ['02', '02', '02', '02']],
    ['after letting some pass', { skip: 2 }, ['00', '00', '02', '00']],
    ['to one reference', { match: { ref_id: 'A2' } }, ['00', '02', '00', '00']],
    ['to one player', { match: { player: 'P3' } }, ['00', '00', '02', '00']],
    ['to one SKU', { match: { sku: 'ff70' } }, ['00', '00', '00', '02']],
    ['to what matches in full', { match: { sku: 'ff70', player: 'P1' } }, ['00', '00', '00', '00']],
  ])('applies %s', async (_case, members, expected) => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, rc: '02', ...members });
    const codes: unknown[] = [];
    for (const n of [1, 2, 3, 4]) {
      const more = { customer_no: `P${n}`, buyer_sku_code: n === 4 ? 'ff70' : 'ml86' };
      codes.push((await client.transaction(`A${n}`, more)).data.rc);
    }
    expect(codes).toEqual(expected);
  });

  it('is used up before the next one, is named in the journal, and can be removed', async () => {
    const client = await bench.start();
    await client.sim('rules', {
      rules: [
        { match: {}, rc: '44' },
        { match: {}, rc: '68' },
        { match: {}, rc: '43' },
      ],
    });
    await client.transaction('A1');
    await client.transaction('A1');
    expect(await client.journal('A1')).toMatchObject([
      { rule: 1, rc: '44', times_seen: 1, same_body: null, since_last_ms: null },
      { rule: 2, rc: '68', times_seen: 2, same_body: true, since_last_ms: expect.any(Number) },
    ]);
    expect(await client.sim('rules')).toMatchObject([{ times: 0 }, { times: 0 }, { times: 1 }]);
    await client.sim('rules', undefined, 'DELETE');
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '00' });
  });

  it.each<[Json, string]>([
    [{ match: { colour: 1 } }, 'match has no member colour'],
    [{ rc: 2 }, 'rule.rc must be two digits in a string'],
    [{ drop: 'later' }, 'rule.drop must be one of true, "mid_body"'],
    [{ then: [{ after_ms: 1 }] }, 'then.rc is required'],
    [{ callback: { mode: 'loud' } }, 'callback.mode must be one of'],
    [{ http: 42 }, 'rule.http must be from 200 to 599'],
  ])('that is invalid is refused: %j', async (rule, message) => {
    const client = await bench.start();
    await expect(client.sim('rules', { match: {}, ...rule })).rejects.toThrow(message);
    expect(await client.sim('rules')).toEqual([]);
  });
});

describe('an answer by a rule', () => {
  it.each<[string, Json, number]>([
    ['is dropped once it is decided', { drop: true }, 1],
    ['is dropped before anything is decided', { drop: true, decide: false }, 0],
    ['breaks off in its middle', { drop: 'mid_body' }, 1],
  ])('%s', async (_case, rule, times_bought) => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, ...rule });
    await expect(send(client).then((response) => response.text())).rejects.toThrow();
    const bought = await client.sim<Json[]>('purchases');
    expect(bought).toHaveLength(times_bought);
    const [entry] = await client.journal('A1');
    expect(entry).toMatchObject({ answer: { kind: 'dropped' } });
    expect(entry?.decision).toBe(times_bought === 0 ? 'not decided' : 'bought');
  });

  it.each([500, 502, 504])('is a page with status %d, with the transaction made or not', async (http) => {
    const client = await bench.start();
    await client.sim('rules', {
      rules: [
        { match: {}, http, decide: false },
        { match: {}, http },
      ],
    });
    for (const times_bought of [0, 1]) {
      const response = await send(client);
      expect([response.status, response.headers.get('content-type')]).toEqual([http, 'text/html; charset=utf-8']);
      expect(await response.text()).toContain('<html>');
      expect(await client.sim('purchases')).toHaveLength(times_bought);
    }
  });

  it.each<[string, Json, (text: string) => void]>([
    ['truncated', { body: 'truncated' }, (text) => expect(() => JSON.parse(text) as unknown).toThrow()],
    ['a page', { body: 'html' }, (text) => expect(text).toContain('<html>')],
    ['empty', { body: 'empty' }, (text) => expect(text).toBe('')],
    ['without data', { body: 'no_data' }, (text) => expect(JSON.parse(text)).not.toHaveProperty('data')],
  ])('has a body that is %s', async (_case, rule, check) => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, ...rule });
    const response = await send(client);
    expect(response.status).toBe(200);
    check(await response.text());
    expect(await client.purchase('A1')).toMatchObject({ times_bought: 1 });
  });

  it.each<[string, Json, Json]>([
    ['numbers as text', { numbers_as_text: true }, { price: '20000', buyer_last_saldo: '980000' }],
    ['rc as a number', { rc: '03', rc_as_number: true }, { rc: 3 }],
    ['more members', { extra_fields: true }, { x_new: { nested: [1, null] }, x_null: null, rc: '00' }],
    ['other members', { set: { customer_no: '7', status: 'Gagal' } }, { customer_no: '7', status: 'Gagal', rc: '00' }],
    ['a code that is not on record', { rc: '49', answer_only: true }, { rc: '49', status: 'Gagal', sn: '' }],
    ['status 400', { rc: '43', http: 400 }, { rc: '43' }],
    ['an sn of choice', { sn: 'ABC' }, { sn: 'ABC' }],
  ])('has %s', async (_case, rule, data) => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, ...rule });
    const answer = await client.transaction('A1');
    expect(answer).toMatchObject({ status: rule.http ?? 200, data });
    const isBought = rule.rc === undefined || rule.answer_only === true;
    const bought = await client.sim<Json[]>('purchases');
    expect(bought.filter(({ standing }) => standing === 1)).toHaveLength(isBought ? 1 : 0);
  });

  it('lacks the members that the rule leaves out', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, omit: ['rc', 'price'] });
    const { data } = await client.transaction('A1');
    expect(Object.keys(data)).not.toContain('rc');
    expect(Object.keys(data)).not.toContain('price');
  });

  it('is compressed', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, gzip: true });
    const response = await send(client);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.json()).toMatchObject({ data: { rc: '00' } });
  });

  it('comes late, with the transaction made before the wait, or after it', async () => {
    const client = await bench.start();
    const rules = [
      { match: { ref_id: 'A1' }, delay_ms: 600_000 },
      { match: { ref_id: 'A2' }, delay_before_ms: 600_000 },
      { match: { ref_id: 'A3' }, delay_before_ms: 300, delay_ms: 300 },
    ];
    await client.sim('rules', { rules });
    const started = performance.now();
    // The end of the test cuts these off.
    for (const n of [1, 2]) client.transaction(`A${n}`, { customer_no: `${n}` }).catch(() => undefined);
    await eventually(
      () => client.sim<Json[]>('journal'),
      (entries) => entries.length === 2,
    );
    await client.transaction('A3', { customer_no: '3' });
    expect(performance.now() - started).toBeGreaterThanOrEqual(590);
    const bought = await client.sim<Json[]>('purchases');
    expect(bought.map(({ ref_id }) => ref_id)).toEqual(['A1', 'A3']);
  });

  it('fails first and succeeds later', async () => {
    const client = await bench.start();
    await client.sim('rules', { match: {}, rc: '01', then: [{ rc: '00', after_ms: 30_000 }] });
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '01', status: 'Gagal' });
    expect(await client.deposit()).toBe(1_000_000);
    await client.aMinuteLater();
    expect((await client.transaction('A1')).data).toMatchObject({ rc: '00', buyer_last_saldo: 980_000 });
    expect(await client.purchase('A1')).toMatchObject({
      times_bought: 1,
      standing: 1,
      price_debited: 20_000,
    });
  });

  it('can be of the balance and the price list, too', async () => {
    const client = await bench.start();
    const rules = [
      { match: { call: 'cek-saldo' }, rc: '45' },
      { match: { call: 'price-list' }, http: 502, decide: false },
      { match: { call: 'cek-saldo' }, numbers_as_text: true },
    ];
    await client.sim('rules', { rules });
    expect((await client.balance()).data).toMatchObject({ rc: '45' });
    expect((await client.balance()).data).toEqual({ deposit: '1000000' });
    await expect(client.priceList()).rejects.toThrow('not valid JSON');
    expect((await client.priceList()).data).toHaveLength(10);
  });
});
