import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { OfferDefinition } from '../../src/catalog/offer-definition.js';
import { OffersService } from '../../src/catalog/offers.service.js';
import { PricesService } from '../../src/catalog/prices.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  await stack.addSupplier('other', stack.supplier.url);
  merchant = await stack.merchant();
});

afterAll(() => closeWithBalancedBooks(stack));

/** A product whose offer is SKU `X` of the supplier `fake`, without a cost. */
beforeEach(async () => {
  sku = await stack.product('35.00', { supplierSku: 'X' });
});

const setOffer = (supplierSku: string, offer: Partial<OfferDefinition> = {}): Promise<unknown> =>
  stack.api.get(OffersService).set({ sku, supplier: 'fake', supplierSku, ...offer });

const removeOffer = (supplierSku: string): Promise<unknown> =>
  stack.api.get(OffersService).remove({ sku, supplier: 'fake', supplierSku });

const post = (...items: { sku: string; quantity?: number }[]): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>('/v1/orders', {
    reference_id: unique('order'),
    user_id: 'player-1',
    items,
  });

/** Places an order, which must be accepted. @returns the supplier of each item. */
async function bought(...items: { sku: string; quantity?: number }[]): Promise<string[]> {
  const { status, body } = await post(...items);
  expect(status).toBe(200);
  const rows = await stack.sql<{ line: string }>(
    `SELECT s.code || '/' || i.supplier_sku AS line FROM orders o JOIN order_items i ON i.order_id = o.id
     JOIN suppliers s ON s.id = i.supplier_id
     JOIN order_units u ON u.order_id = o.id AND u.item = i.position AND u.unit = 1 AND u.supplier_id = s.id
     WHERE o.order_number = $1 ORDER BY i.position`,
    [body.order_number],
  );
  return rows.map(({ line }) => line);
}

const isAvailable = async (): Promise<boolean> =>
  (await merchant.client.get<{ available: boolean }>(`/v1/products/${sku}`)).body.available;

const sellsOneADay = (supplierSku: string): Promise<object[]> =>
  stack.sql('UPDATE supplier_offers SET once_per_day = true WHERE supplier_sku = $1', [supplierSku]);

async function expectUnavailable(): Promise<void> {
  const { available, held } = await stack.wallet(merchant);
  const answer = await post({ sku });
  expectRefusedField(answer, 'items[0].sku', 'PRODUCT_UNAVAILABLE');
  expect(expectError(answer, 400, 'BAD_REQUEST').message).toBe(`items[0].sku "${sku}" cannot be ordered at the moment`);
  expect(await stack.wallet(merchant)).toEqual({ available, held });
  expect(await isAvailable()).toBe(false);
}

describe('a product whose cost leaves no margin at a merchant’s own price', () => {
  it('is not available to that merchant, whose order would be refused, but to others', async () => {
    await setOffer('X', { costMicros: 34_000_000n, currency: 'THB' });
    await stack.api.get(PricesService).set(merchant.id, sku, 3300n);
    await expectUnavailable();
    const { body } = await merchant.client.get<{ data: { sku: string; available: boolean }[] }>(
      '/v1/products?limit=100',
    );
    expect(body.data.find((each) => each.sku === sku)).toMatchObject({ available: false });
    const other = await stack.merchant();
    expect((await other.client.get(`/v1/products/${sku}`)).body).toMatchObject({ price: '35.00', available: true });
  });
});

describe('an order', () => {
  it('uses the first routable offer of its product', async () => {
    await setOffer('dear', { supplier: 'other', costMicros: 20_000_000n, currency: 'THB' });
    await setOffer('cheap', { supplier: 'other', costMicros: 10_000_000n, currency: 'THB' });
    expect(await bought({ sku })).toEqual(['other/cheap']);
    await setOffer('cheap', { supplier: 'other', active: false });
    expect(await bought({ sku })).toEqual(['other/dear']);
    await setOffer('dear', { supplier: 'other', priority: 2 });
    expect(await bought({ sku })).toEqual(['fake/X']);
    await setOffer('X', { active: false });
    expect(await bought({ sku })).toEqual(['other/dear']);
  });

  it('is refused if no offer is routable, charges nothing, and the product is shown as not available', async () => {
    expect(await isAvailable()).toBe(true);
    await setOffer('X', { active: false });
    await expectUnavailable();
    await setOffer('X', { active: true, costMicros: 1_000_000n, currency: 'XAU' });
    await expectUnavailable();
    await setOffer('X', { costMicros: 36_000_000n, currency: 'THB' });
    await expectUnavailable();
    await setOffer('X', { costMicros: null });
    expect(await bought({ sku })).toEqual(['fake/X']);
    await stack.sql(`UPDATE suppliers SET pause_reason = 'operator', paused_at = now() WHERE code = 'fake'`);
    await expectUnavailable();
    await stack.sql(`UPDATE suppliers SET pause_reason = NULL, paused_at = NULL`);
    expect(await bought({ sku })).toEqual(['fake/X']);
    await removeOffer('X');
    await expectUnavailable();
  });

  it('is refused with all of its problems at once', async () => {
    await removeOffer('X');
    const { details = [] } = expectError(
      await post({ sku }, { sku: 'UNKNOWN' }, { sku: await stack.product('1.00'), quantity: 100 }),
      400,
      'BAD_REQUEST',
    );
    expect(details.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'items[0].sku PRODUCT_UNAVAILABLE',
      'items[1].sku INVALID_SKU',
    ]);
  });

  it('that was placed before is replayed, even if its offers changed', async () => {
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    const first = await merchant.client.post('/v1/orders', request);
    await removeOffer('X');
    const second = await merchant.client.post('/v1/orders', request);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('a player in another form than offers require', () => {
  const order = (user_id: string, server_id?: string): Promise<Answer<OrderBody>> =>
    merchant.client.post<OrderBody>('/v1/orders', {
      reference_id: unique('order'),
      user_id,
      server_id,
      items: [{ sku }],
    });
  const boughtAs = async (user: string, server?: string): Promise<string | undefined> => {
    const { status, body } = await order(user, server);
    expect(status).toBe(200);
    const [item] = await stack.sql<{ supplier_sku: string }>(
      `SELECT supplier_sku FROM order_items i JOIN orders o ON o.id = i.order_id WHERE order_number = $1`,
      [body.order_number],
    );
    return item?.supplier_sku;
  };
  /** An offer whose supplier's catalogue has a pattern of players. */
  async function offerFor(pattern: string | null, offer: Partial<OfferDefinition> = {}): Promise<string> {
    const supplierSku = unique('theirs');
    await stack.sql(
      `INSERT INTO supplier_products (supplier_id, sku, name, sellable, player_pattern, first_seen_at, last_seen_at)
       SELECT id, $1, 'theirs', true, $2, now(), now() FROM suppliers WHERE code = 'fake'`,
      [supplierSku, pattern],
    );
    await setOffer(supplierSku, offer);
    return supplierSku;
  }

  it('is refused, and nothing is charged', async () => {
    const theirs = await offerFor('^[0-9]{5,12} [0-9]{1,7}$');
    await removeOffer('X');
    const { available, held } = await stack.wallet(merchant);
    for (const [user, server] of [['12345'], ['1234', '2001'], ['12345', '2001 '], ['12345 2001', '1']])
      expectRefusedField(await order(user ?? '', server), 'user_id', 'INVALID_PLAYER');
    expect(await stack.wallet(merchant)).toEqual({ available, held });
    expect(await boughtAs('12345', '2001')).toBe(theirs);
  });

  it('is bought with the next offer that accepts the player', async () => {
    const digits = await offerFor('^\\d+$');
    const letters = await offerFor('^[a-z]+$', { priority: 2 });
    const anybody = await offerFor(null, { priority: 3 });
    const never = await offerFor(null, { priority: 4 });
    await removeOffer('X');
    expect(await boughtAs('123')).toBe(digits);
    expect(await boughtAs('abc')).toBe(letters);
    expect(await boughtAs('a-1')).toBe(anybody);
    await setOffer(letters, { active: false });
    expect(await boughtAs('abc')).toBe(anybody);
    await setOffer(anybody, { active: false });
    expect(await boughtAs('abc')).toBe(never);
    await setOffer(never, { active: false });
    expectRefusedField(await order('abc'), 'user_id', 'INVALID_PLAYER');
  });

  it('is checked in the form in which the offer writes players', async () => {
    const theirs = await offerFor('^\\d+\\|\\d+$', { playerTemplate: '{user}|{server}' });
    await removeOffer('X');
    expect(await boughtAs('1', '2')).toBe(theirs);
  });
});

describe('a quantity above 1', () => {
  it('uses the first routable offer that sells more than one a day', async () => {
    await setOffer('many', { priority: 2 });
    await sellsOneADay('X');
    expect(await bought({ sku, quantity: 2 })).toEqual(['fake/many']);
    expect(await bought({ sku, quantity: 1 })).toEqual(['fake/X']);
    expect(await bought({ sku }, { sku, quantity: 3 }, { sku })).toEqual(['fake/X', 'fake/many', 'fake/X']);
    await setOffer('many', { active: false });
    const answer = await post({ sku }, { sku, quantity: 2 });
    expectRefusedField(answer, 'items[1].quantity', 'OUT_OF_RANGE');
    expect(await bought({ sku }, { sku })).toEqual(['fake/X', 'fake/X']);
  });

  it('is limited also by the supplier’s catalogue', async () => {
    await stack.sql(
      `INSERT INTO supplier_products (supplier_id, sku, name, sellable, once_per_day, first_seen_at, last_seen_at)
       SELECT id, $1, 'theirs', true, true, now(), now() FROM suppliers WHERE code = 'fake'`,
      [sku],
    );
    await removeOffer('X');
    await setOffer(sku);
    expectRefusedField(await post({ sku, quantity: 2 }), 'items[0].quantity', 'OUT_OF_RANGE');
    expect(await bought({ sku })).toEqual([`fake/${sku}`]);
    await stack.sql('UPDATE supplier_products SET sellable = false WHERE sku = $1', [sku]);
    await expectUnavailable();
  });
});
