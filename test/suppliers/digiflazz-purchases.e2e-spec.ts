import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import type { Json } from '../simulators/digiflazz-client.js';
import { attempt, DigiflazzShop, NUMBERS, rupiah } from './digiflazz-buyer.js';

const shop = new DigiflazzShop();
afterEach(() => shop.clear());
afterAll(() => shop.close());

const deliveries = [{ serial: null, code: expect.stringMatching(/^\d{10}$/), expiresOn: null }];
const BOUGHT = { kind: 'succeeded', supplierReference: null, cost: rupiah(20_000n), deliveries };

/** Every reading of the documents that affects a purchase. */
const READINGS: [reading: string, value: unknown][] = [
  ['repeat_too_early', 'allowed'],
  ['reference_lookup', 'first'],
  ['repeat_with_other_content', 'rc_49'],
  ['transaction_key', 'either'],
  ['rc_type', 'number'],
  ['optional_members', 'absent'],
  ['refusal_http_status', 400],
  ['cut_off_rc', '66'],
  ['seller_off_rc', '62'],
  ['dot_without_allow_dot', 'keep'],
];

describe.each<[string, Json]>([
  ['the usual readings', {}],
  ...READINGS.map(([name, value]): [string, Json] => [`${name} read as ${String(value)}`, { [name]: value }]),
])('with %s', (_which, readings) => {
  it('buys once, and an inquiry reports the same', async () => {
    const buyer = await shop.open(readings);
    expect(await buyer.send(attempt('A1'))).toEqual(BOUGHT);
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
    expect(await buyer.client.purchase('A1')).toMatchObject({
      sku: 'ml86',
      customer_no: '1234567892001',
      times_bought: 1,
      price_debited: 20_000,
      sends: 2,
    });
  });

  it('learns the outcome by the same request if the answer was lost', async () => {
    const buyer = await shop.open(readings);
    await buyer.client.sim('rules', { match: {}, drop: true });
    expect((await buyer.send(attempt('A1'))).kind).toBe('unknown');
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
    const sent = await buyer.received('transaction');
    expect(sent.map(({ same_body, warnings }) => ({ same_body, warnings }))).toEqual([
      { same_body: null, warnings: [] },
      { same_body: true, warnings: [] },
    ]);
    expect(await buyer.client.purchase('A1')).toMatchObject({ times_bought: 1, standing: 1 });
  });

  it('buys by an inquiry if the request was lost', async () => {
    const buyer = await shop.open(readings);
    await buyer.client.sim('rules', { match: {}, decide: false, drop: true });
    expect((await buyer.send(attempt('A1'))).kind).toBe('unknown');
    expect(await buyer.client.sim('purchases')).toEqual([]);
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
    expect(await buyer.client.purchase('A1')).toMatchObject({ times_bought: 1 });
  });

  it('never takes the refusal of a repeat for a refusal of the purchase', async () => {
    const buyer = await shop.open(readings);
    await buyer.send(attempt('A1'));
    await buyer.client.sim('account', { deposit: 0, products: [{ buyer_sku_code: 'ml86', stock: 0 }] });
    const reported = await buyer.askLater(attempt('A1'));
    expect(['unknown', 'succeeded']).toContain(reported.kind);
    await buyer.client.sim('rules', { match: { repeat: true }, rc: '68' });
    expect((await buyer.askLater(attempt('A1'))).kind).toBe('unknown');
  });

  it('gets the outcome of each player of the sandbox', async () => {
    const buyer = await shop.open(readings, { testing: true });
    const at = (userId: string) => attempt(userId, { sku: 'xld10', userId, serverId: null });
    const cost = rupiah(10_000n);
    expect(await buyer.send(at(NUMBERS.succeeds))).toEqual({ ...BOUGHT, cost });
    expect(await buyer.send(at(NUMBERS.fails))).toMatchObject({ kind: 'failed', code: 'SUPPLIER_REJECTED' });
    expect(await buyer.send(at(NUMBERS.succeedsLater))).toEqual({ kind: 'processing', cost });
    expect(await buyer.send(at(NUMBERS.failsLater))).toEqual({ kind: 'processing', cost });
    expect(await buyer.askLater(at(NUMBERS.succeedsLater))).toEqual({ ...BOUGHT, cost });
    expect(await buyer.askLater(at(NUMBERS.failsLater))).toMatchObject({ kind: 'failed', failover: true });
  });

  it.each([
    ['seller-off', /^(PRODUCT_UNAVAILABLE|ITEM_NOT_FOUND)$/],
    ['buyer-off', /^ITEM_NOT_FOUND$/],
    ['sold-out', /^OUT_OF_STOCK$/],
    ['none', /^ITEM_NOT_FOUND$/],
  ])('is refused the SKU %s', async (sku, code) => {
    const buyer = await shop.open(readings);
    const outcome = await buyer.send(attempt('A1', { sku }));
    expect(outcome).toMatchObject({ kind: 'failed', failover: true });
    expect(outcome).toHaveProperty('code', expect.stringMatching(code));
  });
});

describe('a request', () => {
  const body = async (changes: Parameters<typeof attempt>[1], testing = false): Promise<Json> => {
    const buyer = await shop.open({}, { testing });
    await buyer.send(attempt('A1', changes));
    const [entry] = await buyer.received('transaction');
    expect(entry?.warnings).toEqual([]);
    return JSON.parse(entry?.body as string) as Json;
  };

  it('has the members that the supplier requires, and no others', async () => {
    expect(await body({})).toEqual({
      username: 'demo-reseller',
      buyer_sku_code: 'ml86',
      customer_no: '1234567892001',
      ref_id: 'A1',
      sign: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(await body({}, true)).toMatchObject({ testing: true });
  });

  it('has the player as the template writes it, and allows a dot in it if there is one', async () => {
    expect(await body({ serverId: null })).toMatchObject({ customer_no: '123456789' });
    const dotted = await body({ playerTemplate: '{user}.{server}' });
    expect(dotted).toMatchObject({ customer_no: '123456789.2001', allow_dot: true });
  });

  it('has the maximum cost in whole rupiah', async () => {
    expect(await body({ maxCost: { micros: 20_000_999_999n, currency: 'IDR' } })).toMatchObject({
      max_price: 20_000,
    });
  });
});

describe('a limit to the price', () => {
  it('makes the supplier refuse a higher price', async () => {
    const buyer = await shop.open();
    expect(await buyer.send(attempt('A1', { maxCost: rupiah(19_999n) }))).toMatchObject({
      kind: 'failed',
      code: 'PRODUCT_UNAVAILABLE',
      failover: true,
    });
    expect((await buyer.send(attempt('A2', { maxCost: rupiah(20_000n) }))).kind).toBe('succeeded');
  });

  it.each([
    ['in another currency', { micros: 50_000_000n, currency: 'THB' }],
    ['below one rupiah', { micros: 999_999n, currency: 'IDR' }],
  ])('%s stops the purchase before it is sent', async (_what, maxCost) => {
    const buyer = await shop.open();
    expect(await buyer.send(attempt('A1', { maxCost }))).toMatchObject({
      kind: 'not_accepted',
      fault: 'configuration',
    });
    expect((await buyer.send(attempt('A1', { maxCost, isRepeat: true }))).kind).toBe('unknown');
    expect(await buyer.received('transaction')).toEqual([]);
  });
});

describe('the refusal of a repeat that comes too early', () => {
  it('does not fail a bought unit', async () => {
    const buyer = await shop.open();
    await buyer.send(attempt('A1'));
    const early = await buyer.send(attempt('A1', { isRepeat: true }));
    expect(early).toMatchObject({ kind: 'unknown', retryAfterMs: 60_000 });
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
  });
});

describe('an answer with our reference', () => {
  it.each([
    ['another number', { customer_no: '9999' }],
    ['another product', { buyer_sku_code: 'ml172' }],
    ['another reference', { ref_id: 'A2' }],
  ])('settles nothing if it also has %s', async (_what, set) => {
    const buyer = await shop.open();
    await buyer.client.sim('rules', { match: {}, set });
    expect((await buyer.send(attempt('A1'))).kind).toBe('unknown');
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
  });
});

describe('a damaged answer', () => {
  it.each<[string, Json]>([
    ['an error with a page', { http: 500 }],
    ['a gateway that gave up', { http: 504 }],
    ['a page', { body: 'html' }],
    ['half an answer', { body: 'truncated' }],
    ['an answer without data', { body: 'no_data' }],
    ['an empty answer', { body: 'empty' }],
    ['a connection that ends in the middle', { drop: 'mid_body' }],
  ])('leaves the attempt in doubt until an inquiry: %s', async (_what, rule) => {
    const buyer = await shop.open();
    await buyer.client.sim('rules', { match: {}, ...rule });
    expect((await buyer.send(attempt('A1'))).kind).toBe('unknown');
    expect(await buyer.askLater(attempt('A1'))).toEqual(BOUGHT);
  });

  it('leaves the attempt in doubt if it comes too late', async () => {
    const buyer = await shop.open({}, { timeoutMs: 100 });
    await buyer.client.sim('rules', { match: {}, delay_ms: 1_000 });
    expect(await buyer.send(attempt('A1'))).toEqual({ kind: 'unknown', detail: 'timeout' });
  });

  it.each<[string, Json]>([
    ['numbers as text', { numbers_as_text: true }],
    ['the code as a number', { rc_as_number: true }],
    ['members that nobody documents', { extra_fields: true }],
  ])('is still read if it has %s', async (_what, rule) => {
    const buyer = await shop.open();
    await buyer.client.sim('rules', { match: {}, ...rule });
    expect(await buyer.send(attempt('A1'))).toEqual(BOUGHT);
  });
});

describe('a refused connection', () => {
  it('proves that a first send bought nothing, and leaves a repeat in doubt', async () => {
    const buyer = await shop.open({}, { baseUrl: 'http://127.0.0.1:1/v1' });
    expect(await buyer.send(attempt('A1'))).toEqual({ kind: 'not_accepted', detail: 'ECONNREFUSED' });
    expect(await buyer.send(attempt('A1', { isRepeat: true }))).toEqual({
      kind: 'unknown',
      detail: 'ECONNREFUSED',
    });
    expect((await buyer.askLater(attempt('A1'))).kind).toBe('unknown');
  });
});
