import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import type { CatalogueRow } from '../suppliers/supplier-registry.js';
import type { Supplier, SupplierProductRead } from '../suppliers/supplier.entity.js';

/** Marks each SKU that is in the supplier's catalogue or has an offer. */
const MARK_PRODUCTS = statement(
  'product_reads.mark',
  { supplierId: 'int', skus: 'text[]' },
  ({ supplierId, skus }) => `
    INSERT INTO supplier_product_reads (supplier_id, sku, asked_at, due_at)
    SELECT ${supplierId}, sku, statement_timestamp(), statement_timestamp() FROM (
      SELECT sku FROM supplier_products WHERE supplier_id = ${supplierId} AND sku = ANY (${skus})
      UNION SELECT supplier_sku FROM supplier_offers WHERE supplier_id = ${supplierId} AND supplier_sku = ANY (${skus})
      ORDER BY 1) known
    ON CONFLICT (supplier_id, sku) DO UPDATE SET asked_at = excluded.asked_at`,
);

/** A SKU to read now. */
export type DueProduct = Pick<SupplierProductRead, 'sku' | 'asked_at'> &
  Pick<Supplier, 'code'> & {
    /** When its reading began. */
    read_at: Date;
  };

/**
 * Claims the due SKU that has waited longest. Skips suppliers that are paused or whose last reading of a product was
 * less than the adapter's gap ago, and rows that another process has locked. The SKU is due again after `retryMs`,
 * unless {@link END_READING} runs before.
 */
const CLAIM_DUE_PRODUCT = statement(
  'product_reads.claim_due',
  { adapters: rowsOf({ adapter: 'text', product_gap_ms: 'int' }), retryMs: 'int' },
  ({ adapters, retryMs }) => `
    WITH due AS (
      SELECT r.supplier_id, r.sku, s.code FROM supplier_product_reads r
      JOIN suppliers s ON s.id = r.supplier_id
      JOIN ${adapters.as('a')} ON a.adapter = s.adapter
      WHERE r.due_at <= statement_timestamp() AND s.pause_reason IS NULL
        AND (s.product_read_at IS NULL
          OR s.product_read_at <= statement_timestamp() - a.product_gap_ms * interval '1 millisecond')
      ORDER BY r.due_at, r.supplier_id, r.sku
      LIMIT 1 FOR NO KEY UPDATE OF r, s SKIP LOCKED),
    noted AS (
      UPDATE suppliers s SET product_read_at = statement_timestamp() FROM due WHERE s.id = due.supplier_id
      RETURNING s.product_read_at)
    UPDATE supplier_product_reads r SET due_at = statement_timestamp() + ${retryMs} * interval '1 millisecond'
    FROM due, noted WHERE r.supplier_id = due.supplier_id AND r.sku = due.sku
    RETURNING r.sku, r.asked_at, due.code, noted.product_read_at AS read_at`,
);

/** Ends a reading. A SKU that was marked again meanwhile is due at once. */
const END_READING = statement(
  'product_reads.end',
  { supplierId: 'int', sku: 'text', askedAt: 'timestamptz' },
  ({ supplierId, sku, askedAt }) => `
    WITH done AS (
      DELETE FROM supplier_product_reads
      WHERE supplier_id = ${supplierId} AND sku = ${sku} AND asked_at <= ${askedAt})
    UPDATE supplier_product_reads SET due_at = statement_timestamp()
    WHERE supplier_id = ${supplierId} AND sku = ${sku} AND asked_at > ${askedAt}`,
);

/** SKUs to read one by one. */
@Injectable()
export class ProductReadsRepository {
  constructor(private readonly database: Database) {}

  /**
   * Marks SKUs for a reading. A SKU is due at once, but a SKU that is already marked keeps its due time. Ignores SKUs
   * that have neither an item in the supplier's catalogue nor an offer.
   */
  async mark(supplierId: number, skus: string[]): Promise<void> {
    await this.database.query(...MARK_PRODUCTS.with({ supplierId, skus }));
  }

  /** @param retryMs the time until the SKU is due again, unless its reading succeeds. @returns null if no SKU is due. */
  async claimDue(adapters: readonly CatalogueRow[], retryMs: number): Promise<DueProduct | null> {
    const [due] = await this.database.query<DueProduct>(...CLAIM_DUE_PRODUCT.with({ adapters, retryMs }));
    return due ?? null;
  }

  end(tx: Transaction, supplierId: number, { sku, asked_at: askedAt }: DueProduct): void {
    tx.write(...END_READING.with({ supplierId, sku, askedAt }));
  }
}
