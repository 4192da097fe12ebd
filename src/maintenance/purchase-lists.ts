import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics, type PurchaseListResult } from '../core/metrics.js';
import { SchemaService } from '../database/schema.service.js';
import { BoughtCases } from '../supplier-purchases/bought-cases.js';
import {
  NOTHING_LISTED,
  PurchaseListsService,
  type ListReading,
} from '../supplier-purchases/purchase-lists.service.js';
import { WorkerJob } from './worker-job.js';

const CLOSE_EVERY_MS = 60_000;

/**
 * Asks suppliers that list what they sold us, every SUPPLIER_PURCHASES_INTERVAL_MS: what no book knows becomes a case, and
 * what our books have as not bought. Closes the former again where an order turns out to have been given the purchase.
 */
@Injectable()
export class PurchaseLists extends WorkerJob {
  /** What was wrong with those that told not all when last asked: that is worth one line, not one each time. */
  private readonly wrong = new Map<string, string>();

  constructor(
    schema: SchemaService,
    lists: PurchaseListsService,
    bought: BoughtCases,
    private readonly metrics: Metrics,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: CLOSE_EVERY_MS,
      run: async () => {
        const closed = await bought.closeNext();
        if (closed.length > 0)
          logger.info(
            { cases: closed.length, firstCase: closed[0] },
            'cases of purchases closed by themselves',
          );
      },
      onError: ({ message }) => logger.warn({ reason: message }, 'cases of purchases could not be looked at'),
    });
    const { SUPPLIER_PURCHASES_INTERVAL_MS: intervalMs } = config;
    this.repeatWhenDue({
      intervalMs,
      run: async (stop) => {
        for (const { supplier, reading } of await lists.readDue(intervalMs, stop))
          this.report(supplier, reading);
      },
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'suppliers could not be asked for what they sold us'),
    });
  }

  private report(supplier: string, reading: ListReading): void {
    this.metrics.purchaseListRead(supplier, resultOf(reading));
    if (reading?.known === false) {
      const { detail } = reading;
      this.warnOnce(supplier, 'unread', { detail }, 'a supplier does not list what it sold us');
      return;
    }
    const { purchases, unreadable, unreadableName = null, opened, contradicted } = reading ?? NOTHING_LISTED;
    if (unreadable > 0) {
      const message = 'entries in a supplier’s list of what it sold us can’t be read';
      this.warnOnce(supplier, 'unreadable', { purchases, unreadable, unreadableName }, message);
    } else {
      this.wrong.delete(supplier);
    }
    if (opened.length > 0) {
      const about = { supplier, purchases, cases: opened.length, firstCase: opened[0] };
      this.logger.warn(about, 'a supplier lists purchases that no book knows');
    }
    if (contradicted > 0) {
      this.metrics.supplierContradicted(supplier, contradicted);
      const message = 'a supplier lists as sold what our books have as not bought: see topup reversal list';
      this.logger.error({ supplier, purchases, cases: contradicted }, message);
    }
  }

  private warnOnce(supplier: string, what: string, about: object, message: string): void {
    if (this.wrong.get(supplier) !== what) this.logger.warn({ supplier, ...about }, message);
    this.wrong.set(supplier, what);
  }
}

function resultOf(reading: ListReading): PurchaseListResult {
  if (reading === null) return 'none';
  if (!reading.known) return 'unread';
  return reading.unreadable > 0 ? 'incomplete' : 'read';
}
