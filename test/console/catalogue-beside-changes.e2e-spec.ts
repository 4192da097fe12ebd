import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { PricesService } from '../../src/catalog/prices.service.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { besideChange } from '../support/locks.js';
import { TestStack } from '../support/stack.js';
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
