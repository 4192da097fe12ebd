import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { PricesService } from '../../src/catalog/prices.service.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { besideChange } from '../support/locks.js';
import { TestStack, unique } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';

let stack: TestStack;
beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  await stack.addSupplier('other', stack.supplier.url);
});
afterAll(() => stack.close());

describe('an operator’s change', () => {
  it('of an offer keeps that a fault switches the offer off at the same time', async () => {
    const sku = await stack.product();
    const offers = stack.api.get(OffersService);
    const [offer] = await offers.list({ sku });
    const name = { sku, supplier: 'fake', supplierSku: offer?.supplier_sku ?? '' };
    const fault = `UPDATE supplier_offers SET active = false, off_by_fault = true, off_at = now(), off_reason = 'no such SKU'
                   WHERE id = ${offer?.id}`;
    await besideChange(stack, fault, () => untilDone(() => offers.set({ ...name, guardPercent: '7.00' })));
    const changed = { guard_percent: '7.00', active: false, off_reason: 'no such SKU' };
    expect(await offers.list({ sku })).toMatchObject([changed]);
  });

  it('of a product keeps the offer that becomes the first at the same time', async () => {
    const sku = await stack.product();
    const offers = stack.api.get(OffersService);
    await untilDone(() => offers.set({ sku, supplier: 'other', supplierSku: 'B', priority: 2 }));
    const [first] = await offers.list({ sku, supplier: 'fake' });
    const later = `UPDATE supplier_offers SET priority = 3 WHERE id = ${first?.id}`;
    const name = 'Another name';
    await besideChange(stack, later, () => untilDone(() => stack.api.get(ProductsService).set({ sku, name })));
    const [product] = await stack.sql(
      `SELECT p.name, s.code, p.supplier_sku FROM products p LEFT JOIN suppliers s ON s.id = p.supplier_id WHERE p.sku = $1`,
      [sku],
    );
    expect(product).toEqual({ name, code: 'other', supplier_sku: 'B' });
  });

  it('that adds a product is refused if another operator adds the same one at the same time', async () => {
    const products = stack.api.get(ProductsService);
    const sku = unique('SKU');
    const theirs = `INSERT INTO products (sku, name, price) VALUES ('${sku}', 'Theirs', 3000)`;
    const ours = { sku, name: 'Ours', price: 2900n };
    const expected = { expectedUpdatedAt: null };
    const set = besideChange(stack, theirs, () => untilDone(() => products.set(ours, { operator: 'nok' }, expected)));
    await expect(set).rejects.toMatchObject({ code: 'CONFLICT' });
    const stored = await stack.sql('SELECT name, price FROM products WHERE sku = $1', [sku]);
    expect(stored).toEqual([{ name: 'Theirs', price: 3000n }]);
    expect(await stack.sql(`SELECT FROM operator_actions WHERE detail->>'sku' = $1`, [sku])).toEqual([]);
  });

  it('that adds a supplier is refused if another operator adds the same one at the same time', async () => {
    const suppliers = stack.api.get(SuppliersService);
    const code = unique('new');
    const address = 'https://theirs.example';
    const theirs = `INSERT INTO suppliers (code, adapter, base_url, timeout_ms)
                    VALUES ('${code}', 'http', '${address}', 1000)`;
    const ours = { code, adapter: 'http', baseUrl: 'https://ours.example' };
    const expected = { updatedAt: null };
    const set = besideChange(stack, theirs, () => untilDone(() => suppliers.set(ours, { operator: 'nok' }, expected)));
    await expect(set).rejects.toMatchObject({ code: 'CONFLICT', details: [{ code: 'CHANGED_MEANWHILE' }] });
    expect((await suppliers.getByCode(code)).base_url).toBe(address);
    expect(await stack.sql(`SELECT FROM operator_actions WHERE detail->>'code' = $1`, [code])).toEqual([]);
  });

  it('of a merchant’s price is refused if the merchant gets its first own price at the same time', async () => {
    const sku = await stack.product('35.00');
    const { id } = await stack.merchant();
    const prices = stack.api.get(PricesService);
    const first = `SELECT FROM products WHERE sku = '${sku}' FOR SHARE;
                   INSERT INTO merchant_prices (merchant_id, product_id, price) SELECT ${id}, id, 3000 FROM products WHERE sku = '${sku}'`;
    const seen = null;
    const set = besideChange(stack, first, () =>
      untilDone(() => prices.set(id, sku, 2900n, { operator: 'nok' }, seen)),
    );
    await expect(set).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await prices.list({ merchantId: id })).toMatchObject([{ price: 3000n }]);
  });
});
