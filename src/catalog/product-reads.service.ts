import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { ProductReading, Unavailable } from '../suppliers/supplier-adapter.js';
import { SupplierPauses } from '../suppliers/supplier-pauses.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersRepository } from '../suppliers/suppliers.repository.js';
import { difference } from './catalogue-difference.js';
import { ProductReadsRepository, type DueProduct } from './product-reads.repository.js';
import { SupplierCataloguesRepository } from './supplier-catalogues.repository.js';

/** When a SKU is asked about again whose reading failed. */
const RETRY_MS = 60_000;

/** What came of reading one SKU. */
export interface ProductRun {
  supplier: string;
  sku: string;
  /** `overtaken` where the supplier was set anew or its whole catalogue was read meanwhile. */
  result: 'unchanged' | 'changed' | 'gone' | 'overtaken' | Unavailable;
  /** Whether the supplier refuses our credentials and is paused for it now. */
  isPaused: boolean;
}

/** Reads single SKUs of suppliers again that were marked for it, and brings them to their offers as a whole run does. */
@Injectable()
export class ProductReadsService {
  constructor(
    private readonly database: Database,
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly pauses: SupplierPauses,
    private readonly reads: ProductReadsRepository,
    private readonly catalogues: SupplierCataloguesRepository,
  ) {}

  /** Has SKUs read soon that the supplier may have changed: those that we know. */
  async ask(supplierId: number, skus: string[]): Promise<void> {
    await this.reads.ask(supplierId, skus);
  }

  /** Reads one SKU that is due; each is taken by one process. @returns null when none is. */
  async readDue(): Promise<ProductRun | null> {
    const due = await this.reads.takeDue(this.registry.catalogues, RETRY_MS);
    if (!due) return null;
    const run = { supplier: due.code, sku: due.sku, isPaused: false };
    const supplier = await this.suppliers.find(due.code);
    if (!supplier) return { ...run, result: 'overtaken' };
    const reading = await this.read(supplier, due.sku);
    if (reading.known) return { ...run, result: await this.apply(supplier, due, reading) };
    return { ...run, result: reading, isPaused: await this.pauses.beginFor(supplier, reading) };
  }

  private async read(supplier: Supplier, sku: string): Promise<ProductReading> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return connection;
    const { adapter, settings } = connection;
    return (
      (await adapter.catalogue?.readOne(settings, sku)) ?? {
        ...{ known: false, detail: 'its adapter reads no catalogue', reached: false, fault: 'settings' },
      }
    );
  }

  private apply(
    { id, adapter, base_url }: Supplier,
    due: DueProduct,
    { product }: Extract<ProductReading, { known: true }>,
  ): Promise<Exclude<ProductRun['result'], Unavailable>> {
    return this.database.transaction(async (tx) => {
      const now = await this.suppliers.lock(tx, due.code);
      if (now?.id !== id || now.adapter !== adapter || now.base_url !== base_url) return 'overtaken';
      this.reads.end(tx, id, due);
      const before = await this.catalogues.findOne(tx, now, due.sku);
      // A whole run that began later knows better.
      if (before && before.last_seen_at > due.read_at) return 'overtaken';
      const found = difference(product ? [{ ...product, sku: due.sku }] : [], before ? [before] : []);
      this.catalogues.write(tx, now, found, due.read_at);
      if (!product) return 'gone';
      return found.items.some(({ is_changed }) => is_changed) ? 'changed' : 'unchanged';
    });
  }
}
