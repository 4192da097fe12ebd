import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestStack, unique } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  await stack.addSupplier('other', stack.supplier.url);
});

afterAll(() => stack.close());

/** Writes the supplier columns of a product, like a version without offers. */
async function asBefore(sku: string, supplier: string, supplierSku: string): Promise<void> {
  await stack.sql(
    `INSERT INTO products (sku, name, price, supplier_id, supplier_sku)
     SELECT $1, 'A product', 3500, id, $3 FROM suppliers WHERE code = $2
     ON CONFLICT (sku) DO UPDATE SET supplier_id = excluded.supplier_id, supplier_sku = excluded.supplier_sku`,
    [sku, supplier, supplierSku],
  );
}

async function addOffer(sku: string, supplier: string, supplierSku: string, priority = 1): Promise<void> {
  await stack.sql(
    `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority)
     SELECT p.id, s.id, $3, $4 FROM products p, suppliers s WHERE p.sku = $1 AND s.code = $2`,
    [sku, supplier, supplierSku, priority],
  );
}

/** The product's supplier columns, which mirror its first offer, and its offers. */
async function bothOf(sku: string): Promise<{ mirror: string | null; offers: string[] }> {
  const [product] = await stack.sql<{ mirror: string | null }>(
    `SELECT s.code || '/' || p.supplier_sku AS mirror FROM products p LEFT JOIN suppliers s ON s.id = p.supplier_id
     WHERE p.sku = $1`,
    [sku],
  );
  const offers = await stack.sql<{ offer: string }>(
    `SELECT o.priority || ' ' || s.code || '/' || o.supplier_sku AS offer
     FROM supplier_offers o JOIN products p ON p.id = o.product_id JOIN suppliers s ON s.id = o.supplier_id
     WHERE p.sku = $1 ORDER BY o.priority, o.id`,
    [sku],
  );
  return { mirror: product?.mirror ?? null, offers: offers.map(({ offer }) => offer) };
}

const change = (text: string, sku: string): Promise<object[]> =>
  stack.sql(`${text} product_id = (SELECT id FROM products WHERE sku = $1)`, [sku]);

describe('a product that the previous version writes', () => {
  it('has an offer of priority 1, which follows a change of the product’s supplier', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    expect(await bothOf(sku)).toEqual({ mirror: 'fake/X', offers: ['1 fake/X'] });
    await asBefore(sku, 'other', 'Y');
    expect(await bothOf(sku)).toEqual({ mirror: 'other/Y', offers: ['1 other/Y'] });
  });

  it('keeps its offer if its supplier columns do not change', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    await change(
      `UPDATE supplier_offers SET cost_micros = 1, cost_currency = 'THB', player_template = '{user}' WHERE`,
      sku,
    );
    await asBefore(sku, 'fake', 'X');
    expect(await change('SELECT cost_micros, player_template FROM supplier_offers WHERE', sku)).toEqual([
      { cost_micros: 1n, player_template: '{user}' },
    ]);
  });

  it('keeps its player template at the same supplier, but not the cost of another SKU', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    await change(
      `UPDATE supplier_offers SET cost_micros = 1, cost_currency = 'THB', player_template = '{user}', guard_percent = 1 WHERE`,
      sku,
    );
    await asBefore(sku, 'fake', 'Z');
    expect(await change('SELECT cost_micros, player_template, guard_percent FROM supplier_offers WHERE', sku)).toEqual([
      { cost_micros: null, player_template: '{user}', guard_percent: '1.00' },
    ]);
  });

  it('keeps its other offers, and one of them becomes the first', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    await addOffer(sku, 'other', 'Y', 2);
    await addOffer(sku, 'other', 'Z', 3);
    await asBefore(sku, 'other', 'Y');
    expect(await bothOf(sku)).toEqual({ mirror: 'other/Y', offers: ['1 other/Y', '3 other/Z'] });
  });
});

describe('the supplier columns of a product, which the previous version reads', () => {
  it('are those of its first offer, even if offers change', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    await addOffer(sku, 'other', 'Y', 5);
    expect(await bothOf(sku)).toEqual({ mirror: 'fake/X', offers: ['1 fake/X', '5 other/Y'] });
    await change(`UPDATE supplier_offers SET priority = 9 WHERE supplier_sku = 'X' AND`, sku);
    expect(await bothOf(sku)).toEqual({ mirror: 'other/Y', offers: ['5 other/Y', '9 fake/X'] });
    await change(`DELETE FROM supplier_offers WHERE supplier_sku = 'Y' AND`, sku);
    expect(await bothOf(sku)).toEqual({ mirror: 'fake/X', offers: ['9 fake/X'] });
    await change('DELETE FROM supplier_offers WHERE', sku);
    expect(await bothOf(sku)).toEqual({ mirror: null, offers: [] });
    await addOffer(sku, 'other', 'Y', 2);
    expect(await bothOf(sku)).toEqual({ mirror: 'other/Y', offers: ['2 other/Y'] });
  });

  it('stay those of the same offer if others get the same priority', async () => {
    const sku = unique('SKU');
    await asBefore(sku, 'fake', 'X');
    await addOffer(sku, 'other', 'Y');
    await asBefore(sku, 'fake', 'Z');
    expect((await bothOf(sku)).mirror).toBe('fake/Z');
    await addOffer(sku, 'fake', 'A');
    expect((await bothOf(sku)).mirror).toBe('fake/Z');
  });
});
