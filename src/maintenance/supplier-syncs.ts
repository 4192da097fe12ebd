import { Inject, Injectable } from '@nestjs/common';
import type { Refusal } from '../catalog/catalogue-difference.js';
import { ProductReadsService, type ProductRun } from '../catalog/product-reads.service.js';
import { SupplierSyncService, type SyncRun } from '../catalog/supplier-sync.service.js';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { WorkerJob } from './worker-job.js';

const PAUSED = 'the supplier accepts no calls of ours and is paused: see topup supplier show';

/** How often each worker looks whether a single product is due: what an order could not be bought for waits for it. */
const LOOK_FOR_PRODUCTS_EVERY_MS = 1_000;

/**
 * Reads the catalogues of suppliers that are bought from, one after the other, every SUPPLIER_SYNC_INTERVAL_MS; and single
 * products, whatever the interval, as soon as something says that they have changed.
 */
@Injectable()
export class SupplierSyncs extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly syncs: SupplierSyncService,
    private readonly products: ProductReadsService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    const onError = ({ message }: Error): void =>
      logger.warn({ reason: message }, 'the catalogues of suppliers could not be looked after');
    const { SUPPLIER_SYNC_INTERVAL_MS: intervalMs } = config;
    this.repeatWhenDue({ intervalMs, run: (stop) => this.syncAllDue(stop), onError });
    this.repeat({ intervalMs: LOOK_FOR_PRODUCTS_EVERY_MS, run: (stop) => this.readAllDue(stop), onError });
  }

  private async syncAllDue(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const run = await this.syncs.syncDue(this.config.SUPPLIER_SYNC_INTERVAL_MS);
      if (!run) return;
      this.report(run);
    }
  }

  private async readAllDue(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      const run = await this.products.readDue();
      if (!run) return;
      this.reportProduct(run);
    }
  }

  private reportProduct({ supplier, sku, result, isPaused }: ProductRun): void {
    const about = { supplier, sku };
    if (typeof result === 'string')
      this.logger.info({ ...about, result }, 'a product of a supplier was read');
    else this.logger.warn({ ...about, ...result }, 'a product of a supplier could not be read');
    if (isPaused && typeof result === 'object')
      this.logger.error({ supplier, detail: result.detail }, PAUSED);
  }

  private report({ supplier, refusal, ...counts }: SyncRun): void {
    const about = { supplier: supplier.code };
    if (refusal === null) this.logger.info({ ...about, ...counts }, 'the catalogue of a supplier was read');
    else
      this.logger.warn(
        { ...about, seen: counts.seen, ...loggable(refusal) },
        'the catalogue of a supplier was not taken over, and stays as it was',
      );
    if (refusal?.kind === 'unavailable' && refusal.isPaused)
      this.logger.error({ ...about, detail: refusal.problem.detail }, PAUSED);
  }
}

const loggable = ({ kind, ...more }: Refusal): object => ({ reason: kind, ...more });
