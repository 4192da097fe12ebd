import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PricesService } from '../../src/catalog/prices.service.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { AMOUNT, expectError, MOMENT } from '../support/expectations.js';
import { refused } from '../support/fake-supplier.js';
import { walk, type Page } from '../support/pages.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  sku = await stack.product('35.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

afterAll(() => closeWithBalancedBooks(stack));

interface Entry {
  id: number;
  kind: string;
  amount: string;
  available_amount_after: string;
  reference_id: string | null;
  order_number: string | null;
  created_at: string;
}

const entries = async (merchant: TestMerchant): Promise<Entry[]> =>
  (await merchant.client.get<Page<Entry>>('/v1/wallet/entries')).body.data;

const debit = (merchant: TestMerchant, amount: bigint): Promise<unknown> =>
  stack.api.get(WalletService).debit({ merchantId: merchant.id, amount, reference: unique('debit'), operator: 'test' });

describe('5 GET /v1/wallet', () => {
  it('has exactly currency, available_amount, held_amount and updated_at', async () => {
    const { client } = await stack.merchant('1234567.89');
    const { status, body } = await client.get('/v1/wallet');
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      currency: 'THB',
      available_amount: '1234567.89',
      held_amount: '0.00',
      updated_at: expect.stringMatching(MOMENT),
    });
  });

  it('also answers a merchant that never had money', async () => {
    expect(await stack.wallet(await stack.merchant('0.00'))).toEqual({ available: '0.00', held: '0.00' });
  });

  it('has the time of its last change', async () => {
    const merchant = await stack.merchant('100.00');
    const read = async (): Promise<string> =>
      (await merchant.client.get<{ updated_at: string }>('/v1/wallet')).body.updated_at;
    const before = await read();
    const { reference_id, created_at } = await stack.order(merchant, [{ sku }]);
    const placed = await read();
    expect(placed >= String(created_at)).toBe(true);
    expect(placed > before).toBe(true);
    await stack.orderWith(merchant, reference_id, 'completed');
    expect((await read()) > before).toBe(true);
  });
});

describe('5 GET /v1/wallet/entries', () => {
  it('has an entry for every change of the available balance, newest first', async () => {
    const merchant = await stack.merchant('100.00');
    const completed = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, completed.reference_id, 'completed');
    const failed = await stack.order(merchant, [{ sku }], 'fails');
    await stack.orderWith(merchant, failed.reference_id, 'failed');
    await debit(merchant, 1_000n);
    const seen = (await entries(merchant)).map((entry) => [entry.kind, entry.amount, entry.available_amount_after]);
    expect(seen).toEqual([
      ['debit', '-10.00', '55.00'],
      ['order_refund', '35.00', '65.00'],
      ['order_hold', '-35.00', '30.00'],
      ['order_hold', '-35.00', '65.00'],
      ['credit', '100.00', '100.00'],
    ]);
  });

  it('has exactly the members of the contract, and names the order', async () => {
    const merchant = await stack.merchant('100.00');
    const order = await stack.order(merchant, [{ sku }]);
    const [hold, credit] = await entries(merchant);
    expect(hold).toStrictEqual({
      id: expect.any(Number),
      kind: 'order_hold',
      amount: '-35.00',
      available_amount_after: '65.00',
      reference_id: order.reference_id,
      order_number: order.order_number,
      created_at: expect.stringMatching(MOMENT),
    });
    expect(credit).toMatchObject({ kind: 'credit', amount: '100.00', order_number: null });
    expect(Object.keys(credit ?? {}).sort()).toEqual(Object.keys(hold ?? {}).sort());
  });

  it('adds up to the balance, line by line', async () => {
    const merchant = await stack.merchant('500.00');
    const users = ['player-1', 'fails', 'player-1', 'fails', 'fails', 'player-1'];
    const orders = await Promise.all(users.map((user) => stack.order(merchant, [{ sku, quantity: 2 }], user)));
    for (const { reference_id } of orders) await stack.orderWith(merchant, reference_id, 'completed', 'failed');
    const lines = (await walk<Entry>(merchant.client, '/v1/wallet/entries', { limit: '4' })).reverse();
    let balance = 0n;
    for (const { amount, available_amount_after } of lines) {
      balance += satang(amount);
      expect(satang(available_amount_after)).toBe(balance);
    }
    expect(await stack.wallet(merchant)).toEqual({
      available: lines.at(-1)?.available_amount_after,
      held: '0.00',
    });
  });

  it('shows that a debit does not touch the held balance, and takes no more than is available', async () => {
    const merchant = await stack.merchant('50.00');
    stack.supplier.script('waits', () => 'hang');
    await stack.order(merchant, [{ sku }], 'waits');
    await expect(debit(merchant, 1_501n)).rejects.toMatchObject({ code: 'CONFLICT' });
    await debit(merchant, 1_500n);
    expect(await stack.wallet(merchant)).toEqual({ available: '0.00', held: '35.00' });
  });
});

const satang = (amount: string): bigint => BigInt(amount.replace('.', ''));

describe('5 GET /v1/products', () => {
  it('shows the prices, required members, maximum and availability of each product', async () => {
    const merchant = await stack.merchant('0.00');
    const own = await stack.product('45.00', { name: '86 Diamonds', requiresServer: true, maxQuantity: 7 });
    await stack.api.get(PricesService).set(merchant.id, own, 4_250n);
    const gone = await stack.product('5.00', { requiresCharacter: true, active: false, kind: 'code' });
    const products = await walk<Record<string, unknown>>(merchant.client, '/v1/products', { limit: '2' });
    const find = (of: string): unknown => products.find((product) => product.sku === of);
    expect(find(own)).toMatchObject({
      name: '86 Diamonds',
      list_price: '45.00',
      price: '42.50',
      requires_server: true,
      requires_character: false,
      max_quantity: 7,
      kind: 'topup',
      available: true,
    });
    expect(find(gone)).toMatchObject({
      list_price: '5.00',
      price: '5.00',
      requires_server: false,
      requires_character: true,
      max_quantity: 100,
      kind: 'code',
      available: false,
    });
  });

  it('lists each product once, and shows a single product as in the list', async () => {
    const { client } = await stack.merchant('0.00');
    const one = await stack.product('1.00');
    const products = await walk<{ sku: string; price: string }>(client, '/v1/products', { limit: '3' });
    expect(new Set(products.map((product) => product.sku)).size).toBe(products.length);
    const { status, body } = await client.get(`/v1/products/${one}`);
    expect(status).toBe(200);
    expect(body).toEqual(products.find((product) => product.sku === one));
    for (const { price } of products) expect(price).toMatch(AMOUNT);
  });

  it('never shows the supplier’s name, or the supplier’s SKU', async () => {
    const { client } = await stack.merchant('0.00');
    const own = await stack.product('1.00', { supplierSku: 'secret-supplier-sku' });
    expect(JSON.stringify((await client.get(`/v1/products/${own}`)).body)).not.toMatch(/secret-supplier-sku|fake/);
  });

  it.each(['unknown', 'a/b', '%', 'ไทย', '\u0000', 'x'.repeat(1_000)])('404 for the unknown SKU %j', async (text) => {
    const { client } = await stack.merchant('0.00');
    expectError(await client.get(`/v1/products/${encodeURIComponent(text)}`), 404, 'NOT_FOUND');
  });

  it('finds a SKU that needs percent-encoding', async () => {
    const { client } = await stack.merchant('0.00');
    const odd = await stack.product('1.00', { sku: unique('a/b %?#ไทย') });
    expect((await client.get<{ sku: string }>(`/v1/products/${encodeURIComponent(odd)}`)).body.sku).toBe(odd);
  });

  it('shows a merchant’s own price to that merchant only', async () => {
    const [favoured, other] = [await stack.merchant('0.00'), await stack.merchant('0.00')];
    await stack.api.get(PricesService).set(favoured.id, sku, 0n);
    const price = async ({ client }: TestMerchant): Promise<string> =>
      (await client.get<{ price: string }>(`/v1/products/${sku}`)).body.price;
    expect([await price(favoured), await price(other)]).toEqual(['0.00', '35.00']);
    await stack.api.get(PricesService).clear(favoured.id, sku);
    expect(await price(favoured)).toBe('35.00');
  });

  it('the price that it shows is the price that is charged', async () => {
    const merchant = await stack.merchant('100.00');
    await stack.api.get(PricesService).set(merchant.id, sku, 3_333n);
    const { body } = await merchant.client.get<{ price: string }>(`/v1/products/${sku}`);
    expect((await stack.order(merchant, [{ sku }])).total_amount).toBe(body.price);
  });
});
