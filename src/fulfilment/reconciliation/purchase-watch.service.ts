import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { Metrics, type PurchaseListResult } from '../../core/metrics.js';
import { WorkerTask } from '../../core/worker-task.js';
import { PurchaseListsService, type Listed, type ListReading } from './purchase-lists.service.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

/**
 * The maximum of discrepancies that one call checks. After a restore from a backup, there may be one for each purchase of a
 * day.
 */
const BATCH = 1_000;

/**
 * Reads suppliers' lists of purchases every SUPPLIER_PURCHASES_INTERVAL_MS. A purchase that our books do not know, or record as
 * not bought, becomes a discrepancy. The discrepancy of an unknown purchase closes again once an order has the purchase.
 */
@Injectable()
export class PurchaseWatchService {
  /** The id of the last checked discrepancy; 0 if the next batch begins with the first discrepancy. */
  private after = 0;
  /** The last problem of each supplier's list, so that only a new problem is logged. */
  private readonly problems = new Map<string, string>();

  constructor(
    private readonly lists: PurchaseListsService,
    private readonly unknown: UnknownPurchasesRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Closes discrepancies whose purchase a unit has by now. Each call checks the next batch. After the last batch, the first
   * batch follows again.
   * @returns the closed ids.
   */
  @WorkerTask('purchase_cases', { every: 60_000, failed: 'discrepancies of unknown purchases could not be checked' })
  async closeBought(): Promise<number[]> {
    const { closed, next } = await this.unknown.closeBought(this.after, BATCH);
    this.after = next;
    const about = { discrepancies: closed.length, firstDiscrepancy: closed[0] };
    if (closed.length > 0) this.logger.info(about, 'discrepancies closed, because units have the purchases');
    return closed;
  }

  @WorkerTask('supplier_purchase_lists', {
    dueBy: 'SUPPLIER_PURCHASES_INTERVAL_MS',
    failed: 'suppliers’ lists of purchases could not be read',
  })
  async readDue(stop: AbortSignal, intervalMs: number): Promise<void> {
    for (const { supplier, reading, found } of await this.lists.readDue(intervalMs, stop)) {
      this.report(supplier, reading);
      this.reportFound(supplier, found);
    }
  }

  private report(supplier: string, reading: ListReading): void {
    this.metrics.purchaseListRead(supplier, resultOf(reading));
    if (reading?.known === false) {
      const { detail } = reading;
      this.warnOnce(supplier, 'unread', { detail }, 'a supplier’s list of purchases could not be read');
    } else if (reading && reading.unreadable > 0) {
      const { purchases, unreadable, unreadableReference = null } = reading;
      const about = { purchases, unreadable, unreadableName: unreadableReference };
      this.warnOnce(supplier, 'unreadable', about, 'entries in a supplier’s list of purchases cannot be read');
    } else {
      this.problems.delete(supplier);
    }
  }

  private reportFound(supplier: string, { purchases, opened, contradicted }: Listed): void {
    if (opened.length > 0) {
      const about = { supplier, purchases, discrepancies: opened.length, firstDiscrepancy: opened[0] };
      this.logger.warn(about, 'a supplier lists purchases that our books do not know: see topup reversal list');
    }
    if (contradicted > 0) {
      this.metrics.supplierContradicted(supplier, contradicted);
      const message = 'a supplier lists purchases that our books record as not bought: see topup reversal list';
      this.logger.error({ supplier, purchases, discrepancies: contradicted }, message);
    }
  }

  private warnOnce(supplier: string, problem: string, about: object, message: string): void {
    if (this.problems.get(supplier) !== problem) this.logger.warn({ supplier, ...about }, message);
    this.problems.set(supplier, problem);
  }
}

function resultOf(reading: ListReading): PurchaseListResult {
  if (reading === null) return 'none';
  if (!reading.known) return 'unread';
  return reading.unreadable > 0 ? 'incomplete' : 'read';
}
