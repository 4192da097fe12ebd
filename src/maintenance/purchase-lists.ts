import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { PurchaseListsService, type ListReading } from '../supplier-purchases/purchase-lists.service.js';
import { WorkerJob } from './worker-job.js';

/** How often each worker looks whether a supplier is due. */
const LOOK_EVERY_MS = 10_000;

/** Asks suppliers that list what they sold us, every SUPPLIER_PURCHASES_INTERVAL_MS: what no book knows becomes a case. */
@Injectable()
export class PurchaseLists extends WorkerJob {
  /** Those that told nothing when last asked: that is worth one line, not one each time. */
  private readonly silent = new Set<string>();

  constructor(
    schema: SchemaService,
    lists: PurchaseListsService,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    const { SUPPLIER_PURCHASES_INTERVAL_MS: intervalMs } = config;
    if (intervalMs === 0) return;
    this.repeat({
      intervalMs: Math.min(LOOK_EVERY_MS, intervalMs),
      run: async (stop) => {
        for (const { supplier, reading } of await lists.readDue(intervalMs, stop))
          this.report(supplier, reading);
      },
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'suppliers could not be asked for what they sold us'),
    });
  }

  private report(supplier: string, reading: ListReading): void {
    if (reading?.known === false) {
      if (!this.silent.has(supplier))
        this.logger.warn({ supplier, detail: reading.detail }, 'a supplier does not list what it sold us');
      this.silent.add(supplier);
      return;
    }
    this.silent.delete(supplier);
    if (reading && reading.opened.length > 0) {
      const { purchases, opened } = reading;
      this.logger.warn(
        { supplier, purchases, cases: opened.length, firstCase: opened[0] },
        'a supplier lists purchases that no book knows',
      );
    }
  }
}
