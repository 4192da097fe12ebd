import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import type { CatalogueRow } from '../suppliers/supplier-registry.js';
import { ASK_FOR_PRODUCTS, END_READING, TAKE_DUE_PRODUCT, type DueProduct } from './product-reads.sql.js';

export type { DueProduct } from './product-reads.sql.js';

/** SKUs that suppliers are to be asked about one by one. */
@Injectable()
export class ProductReadsRepository {
  constructor(private readonly database: Database) {}

  /** Those that are known here are due at once. */
  async ask(supplierId: number, skus: string[]): Promise<void> {
    await this.database.query(...ASK_FOR_PRODUCTS.with({ supplierId, skus }));
  }

  /** @param retryMs after which it is due again, unless the reading ended. @returns null where none is due. */
  async takeDue(adapters: readonly CatalogueRow[], retryMs: number): Promise<DueProduct | null> {
    const [due] = await this.database.query<DueProduct>(...TAKE_DUE_PRODUCT.with({ adapters, retryMs }));
    return due ?? null;
  }

  end(tx: Transaction, supplierId: number, { sku, asked_at: askedAt }: DueProduct): void {
    tx.write(...END_READING.with({ supplierId, sku, askedAt }));
  }
}
