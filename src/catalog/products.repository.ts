import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Any, DataSource } from 'typeorm';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import type { ProductRow, ProductWithSupplier } from './product-definition.js';
import { Product } from './product.entity.js';

/** Products sorted by SKU. A supplier matches if the product has an offer of that supplier. */
const PAGE_OF_PRODUCTS = statement(
  'product_listing.page',
  { suppliers: 'text[]?', active: 'boolean?', q: 'text?', after: 'int?', limit: 'int?' },
  ({ suppliers, active, q, after, limit }) => `
    SELECT p.id, p.sku FROM products p
    WHERE (${after} IS NULL OR p.sku > (SELECT sku FROM products WHERE id = ${after}))
      AND (${active} IS NULL OR p.active = ${active})
      AND (${q} IS NULL OR position(lower(${q}) IN lower(p.sku)) > 0 OR position(lower(${q}) IN lower(p.name)) > 0)
      AND (${suppliers} IS NULL OR EXISTS (
        SELECT FROM supplier_offers o JOIN suppliers s ON s.id = o.supplier_id
        WHERE o.product_id = p.id AND s.code = ANY(${suppliers})))
    ORDER BY p.sku LIMIT ${limit}`,
);

/** Copies the cost in the supplier's catalogue, if any, to the offers that this transaction added. */
const TAKE_COSTS = statement(
  'offers.take_costs',
  { skus: 'text[]' },
  ({ skus }) => `
    UPDATE supplier_offers o
    SET cost_micros = c.cost_micros, cost_currency = c.cost_currency, cost_at = c.cost_at
    FROM products p, supplier_products c
    WHERE p.sku = ANY (${skus}) AND o.product_id = p.id AND o.cost_micros IS NULL AND o.created_at = now()::timestamptz(3)
      AND c.supplier_id = o.supplier_id AND c.sku = o.supplier_sku AND c.cost_micros IS NOT NULL`,
);

/** A product to store. */
export type StoredRow = ProductRow & Pick<Product, 'supplier_id'>;

/** Either TypeORM's own connections, or a transaction. */
type Managed = Pick<Transaction, 'manager'>;

const ROWS_PER_STATEMENT = 1000;

/** Which products to list. An absent member matches all products. */
export interface ProductFilter {
  /** The codes of suppliers: the product has an offer of one of them. */
  suppliers?: string[];
  active?: boolean;
  /** A part of the SKU or of the name. Upper and lower case are the same. */
  q?: string;
}

@Injectable()
export class ProductsRepository {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly database: Database,
  ) {}

  list(): Promise<ProductWithSupplier[]> {
    return this.select(this.dataSource);
  }

  /** A page of SKUs, sorted. @param after the id of the last product on the page before. @param limit null for all. */
  async skus(
    { suppliers = null, active = null, q = null }: { [Name in keyof ProductFilter]: ProductFilter[Name] | null },
    after: number | null,
    limit: number | null,
  ): Promise<string[]> {
    const query = PAGE_OF_PRODUCTS.with({ suppliers, active, q, after, limit });
    const rows = await this.database.query<Pick<Product, 'sku'>>(...query);
    return rows.map(({ sku }) => sku);
  }

  /**
   * The existing products of these SKUs.
   * @param lock locks the products until the transaction ends. Merchants can still order them.
   */
  async listBySku(tx: Transaction, skus: string[], { lock = false } = {}): Promise<ProductWithSupplier[]> {
    if (lock) {
      // Before the join: a lock that had to wait would return the product's new row with the supplier of its old row.
      const all = { select: { id: true }, where: { sku: Any(skus) }, order: { sku: 'ASC' } } as const;
      await tx.manager.find(Product, { ...all, lock: { mode: 'for_no_key_update' } });
    }
    return this.select(tx, skus);
  }

  private async select({ manager }: Managed, skus?: string[]): Promise<ProductWithSupplier[]> {
    const query = manager
      .createQueryBuilder(Product, 'product')
      .leftJoin(Supplier, 'supplier', 'supplier.id = product.supplier_id')
      .addSelect('supplier.code', 'supplier_code')
      .orderBy('product.sku');
    if (skus) query.where({ sku: Any(skus) });
    const { entities, raw } = await query.getRawAndEntities<{ supplier_code: string | null }>();
    return entities.map((product, index) => ({
      ...product,
      supplierCode: present(raw[index], 'a row has its raw row').supplier_code,
    }));
  }

  /**
   * Adds new products, and changes locked ones, with their offers of priority 1.
   * @param before the locked products, by SKU.
   * @param onProgress gets the number of products written so far.
   */
  async upsert(
    tx: Transaction,
    rows: StoredRow[],
    before: ReadonlyMap<string, unknown>,
    onProgress?: (done: number, total: number) => void,
  ): Promise<void> {
    const columns = rows.map(({ supplierCode: _code, ...row }) => row);
    for (let at = 0; at < columns.length; at += ROWS_PER_STATEMENT) {
      onProgress?.(at, columns.length);
      const batch = columns.slice(at, at + ROWS_PER_STATEMENT);
      const added = batch.filter(({ sku }) => !before.has(sku));
      const changed = batch.filter(({ sku }) => before.has(sku));
      if (added.length > 0) await tx.manager.insert(Product, added);
      if (changed.length > 0) await tx.manager.upsert(Product, changed, ['sku']);
    }
    tx.write(...TAKE_COSTS.with({ skus: columns.map(({ sku }) => sku) }));
  }
}
