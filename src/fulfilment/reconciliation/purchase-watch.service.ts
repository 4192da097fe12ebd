import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { Metrics, type PurchaseListResult } from '../../core/metrics.js';
import { WorkerTask } from '../../core/worker-task.js';
import { NOTHING_LISTED, PurchaseListsService, type ListReading } from './purchase-lists.service.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

/** After a restore there may be as many open cases as were bought in a day: each look takes so many of them. */
const CASES_AT_ONCE = 1_000;

/**
 * Asks suppliers that list what they sold us, every SUPPLIER_PURCHASES_INTERVAL_MS: what no book knows becomes a case, and
 * what our books have as not bought. Closes the former again where an order turns out to have been given the purchase.
 */
@Injectable()
export class PurchaseWatchService {
  /** The last case that was looked at; 0 where the first is next. */
  private after = 0;
  /** What was wrong with those that told not all when last asked: that is worth one line, not one each time. */
  private readonly wrong = new Map<string, string>();

  constructor(
    private readonly lists: PurchaseListsService,
    private readonly unknown: UnknownPurchasesRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Closes the cases whose purchase a unit turned out to be: looks at the next open ones; behind the last, at the first again.
   * @returns the numbers of those that it closed.
   */
  @WorkerTask('purchase_cases', { every: 60_000, failed: 'cases of purchases could not be looked at' })
  async closeBought(): Promise<number[]> {
    const { closed, next } = await this.unknown.closeBought(this.after, CASES_AT_ONCE);
    this.after = next;
    const about = { cases: closed.length, firstCase: closed[0] };
    if (closed.length > 0) this.logger.info(about, 'cases of purchases closed by themselves');
    return closed;
  }

  @WorkerTask('supplier_purchase_lists', {
    dueBy: 'SUPPLIER_PURCHASES_INTERVAL_MS',
    failed: 'suppliers could not be asked for what they sold us',
  })
  async readDue(stop: AbortSignal, intervalMs: number): Promise<void> {
    for (const { supplier, reading } of await this.lists.readDue(intervalMs, stop)) this.report(supplier, reading);
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
