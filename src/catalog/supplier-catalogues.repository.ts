import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { inSnapshot } from '../database/snapshot.js';
import { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import type { CatalogueDifference } from './catalogue-difference.js';
import {
  JOIN_WHOLE_TABLES,
  LIST_ITEMS,
  MARK_GONE,
  UPDATE_OFFERS,
  WRITE_ITEMS,
  type MappedItem,
} from './supplier-catalogues.sql.js';

export type { MappedItem } from './supplier-catalogues.sql.js';

/** Which items of a catalogue. */
export interface ItemFilter {
  /** A part of the SKU, the name or the group, in either case. */
  match?: string;
  /** Only those that no product has an offer of. */
  unmapped?: boolean;
}

/** What suppliers sell, as it was last read. */
@Injectable()
export class SupplierCataloguesRepository {
  constructor(private readonly database: Database) {}

  /** With what is listed no more. */
  find({ manager }: Transaction, { id }: Supplier): Promise<SupplierProduct[]> {
    return manager.findBy(SupplierProduct, { supplier_id: id });
  }

  findOne({ manager }: Transaction, { id }: Supplier, sku: string): Promise<SupplierProduct | null> {
    return manager.findOneBy(SupplierProduct, { supplier_id: id, sku });
  }

  /** By group and name. */
  list({ id }: Supplier, { match, unmapped = false }: ItemFilter): Promise<MappedItem[]> {
    const which = { supplierId: id, match: match ?? null, isUnmapped: unmapped };
    return inSnapshot(this.database, (tx) => tx.query<MappedItem>(...LIST_ITEMS.with(which)));
  }

  /** What the supplier sells, and what its offers cost, is as it was read. @param readAt when it was asked for. */
  write(tx: Transaction, { id }: Supplier, { items, gone }: CatalogueDifference, readAt: Date): void {
    const about = { supplierId: id, readAt };
    tx.write(...WRITE_ITEMS.with({ ...about, items }));
    tx.write(...MARK_GONE.with({ ...about, skus: gone }));
    tx.write(JOIN_WHOLE_TABLES);
    tx.write(...UPDATE_OFFERS.with({ ...about, costs: items }));
  }
}
