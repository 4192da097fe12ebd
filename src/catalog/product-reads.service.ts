import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { Database } from '../database/database.js';
import type { ProductReading, Unavailable } from '../suppliers/supplier-adapter.js';
import { isSameDestination } from '../suppliers/supplier-account.js';
import { SupplierPausesService } from '../suppliers/supplier-pauses.service.js';
import { SupplierRegistry } from '../suppliers/supplier-registry.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersRepository } from '../suppliers/suppliers.repository.js';
import { difference, lastReadAt } from './catalogue-difference.js';
import { ProductReadsRepository, type DueProduct } from './product-reads.repository.js';
import { SupplierCataloguesRepository } from './supplier-catalogues.repository.js';

/** The wait before a failed reading is repeated. */
const RETRY_MS = 60_000;

/** How often workers look for due products. The time is short, because units may wait for a new price. */
const CHECK_EVERY_MS = 1_000;

export const CATALOGUES_FAILED = 'the catalogues of suppliers could not be read';

/** The result of reading one SKU. */
interface ProductRun {
  supplier: string;
  sku: string;
  /**
   * `overtaken` if meanwhile an operator removed the supplier or changed its adapter, address or account, or a newer
   * reading of the SKU or of the whole catalogue ended.
   */
  result: 'unchanged' | 'changed' | 'gone' | 'overtaken' | Unavailable;
}

/** Reads marked SKUs one by one, and updates their offers as a sync of the whole catalogue does. */
@Injectable()
export class ProductReadsService {
  constructor(
    private readonly database: Database,
    private readonly suppliers: SuppliersRepository,
    private readonly registry: SupplierRegistry,
    private readonly pauses: SupplierPausesService,
    private readonly reads: ProductReadsRepository,
    private readonly catalogues: SupplierCataloguesRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Marks SKUs that the supplier may have changed, so that workers read them soon. Ignores unknown SKUs. */
  async mark(supplierId: number, skus: string[]): Promise<void> {
    await this.reads.mark(supplierId, skus);
  }

  @WorkerTask('supplier_products', { every: CHECK_EVERY_MS, failed: CATALOGUES_FAILED })
  async readAllDue(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const run = await this.readDue();
      if (!run) return;
      this.report(run);
    }
  }

  /** Reads one due SKU. Until it has ended, or for {@link RETRY_MS}, no other process claims the SKU. @returns null if no SKU is due. */
  async readDue(): Promise<ProductRun | null> {
    const due = await this.reads.claimDue(this.registry.catalogues, RETRY_MS);
    if (!due) return null;
    const run = { supplier: due.code, sku: due.sku };
    const supplier = await this.suppliers.find(due.code);
    if (!supplier) return { ...run, result: 'overtaken' };
    const reading = await this.read(supplier, due.sku);
    if (reading.known) return { ...run, result: await this.apply(supplier, due, reading) };
    await this.pauses.beginFor(supplier, reading);
    return { ...run, result: reading };
  }

  private async read(supplier: Supplier, sku: string): Promise<ProductReading> {
    const connection = this.registry.tryConnect(supplier);
    if ('known' in connection) return connection;
    const { adapter, settings } = connection;
    return (
      (await adapter.catalogue?.readOne(settings, sku)) ?? {
        known: false,
        detail: 'its adapter reads no catalogue',
        offersNone: false,
        fault: 'settings',
      }
    );
  }

  private apply(
    supplier: Supplier,
    due: DueProduct,
    { product }: Extract<ProductReading, { known: true }>,
  ): Promise<Exclude<ProductRun['result'], Unavailable>> {
    return this.database.transaction(async (tx) => {
      const now = await this.suppliers.lock(tx, due.code);
      if (!now || !isSameDestination(now, supplier)) return 'overtaken';
      this.reads.end(tx, now.id, due);
      const before = await this.catalogues.find(tx, now, due.sku);
      // A sync of the whole catalogue, or a reading by another worker, that began after this one has newer data.
      if (before && lastReadAt(before) > due.read_at) return 'overtaken';
      const found = difference(product ? [{ ...product, sku: due.sku }] : [], before ? [before] : []);
      this.catalogues.write(tx, now, found, due.read_at);
      if (!product) return 'gone';
      return found.items.some(({ is_changed }) => is_changed) ? 'changed' : 'unchanged';
    });
  }

  private report({ supplier, sku, result }: ProductRun): void {
    const about = { supplier, sku };
    if (typeof result === 'string')
      this.logger.info({ ...about, result }, 'the reading of a supplier’s product has ended');
    else this.logger.warn({ ...about, ...result }, 'a product of a supplier could not be read');
  }
}
