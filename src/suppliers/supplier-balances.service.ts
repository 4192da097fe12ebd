import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { adaptersWith } from './adapters.js';
import type { Unavailable } from './supplier-adapter.js';
import { SupplierBalancesRepository, type ReportedBalance } from './supplier-balances.repository.js';
import type { Supplier } from './supplier.entity.js';
import { SupplierPausesService } from './supplier-pauses.service.js';
import { SuppliersService } from './suppliers.service.js';

/** The result of reading our balance at a supplier. */
export interface QueriedSupplier {
  /** The supplier, with the balance that it reported now, or otherwise with the last balance that it reported earlier. */
  supplier: Supplier;
  /** Why the supplier reported no balance now; null if it reported one. */
  problem: Unavailable | null;
}

const MAX_REPORTED = 200;

/** Our balances at suppliers. */
@Injectable()
export class SupplierBalancesService {
  /** Suppliers that did not report a balance when last queried. Each is logged once. */
  private readonly silent = new Set<string>();

  constructor(
    private readonly suppliers: SuppliersService,
    private readonly repository: SupplierBalancesRepository,
    private readonly pauses: SupplierPausesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Reads our balance at each supplier now, all at once. Records it, and ends the supplier's pause if the balance
   * allows that.
   */
  query(suppliers: Supplier[]): Promise<QueriedSupplier[]> {
    return Promise.all(suppliers.map((supplier) => this.queryOne(supplier)));
  }

  /**
   * Reads the due balances at suppliers with offers. Skips paused suppliers: the probes read their balances, unless an
   * operator paused them.
   */
  @WorkerTask('supplier_balances', {
    dueBy: 'SUPPLIER_BALANCE_INTERVAL_MS',
    failed: 'our balances at suppliers could not be read',
  })
  async queryAllDue(_stop: AbortSignal, intervalMs: number): Promise<void> {
    for (const queried of await this.queryDue(intervalMs)) this.report(queried);
  }

  /** Reads the due balances. Pauses a supplier that refuses our credentials or bans us. */
  async queryDue(intervalMs: number): Promise<QueriedSupplier[]> {
    const due = await this.repository.claimDue(adaptersWith('balance'), intervalMs);
    const queried = await this.query(await Promise.all(due.map((code) => this.suppliers.getByCode(code))));
    for (const { supplier, problem } of queried) {
      if (problem) await this.pauses.beginFor(supplier, problem);
    }
    return queried;
  }

  /** For how many hours our balance at each supplier lasts at the pace of the last day; null or absent if unknown. */
  listHoursLeft(): Promise<Map<string, number | null>> {
    return this.repository.listHoursLeft();
  }

  /** The balances that a supplier reported since a moment, oldest first: at most 200, evenly spaced. */
  listReported(supplier: Supplier, since: Date): Promise<ReportedBalance[]> {
    return this.repository.listReported(supplier, since, MAX_REPORTED);
  }

  private async queryOne(supplier: Supplier): Promise<QueriedSupplier> {
    const { answer } = await this.pauses.probe(supplier);
    if (!answer.known) return { supplier, problem: answer };
    return { supplier: await this.suppliers.getByCode(supplier.code), problem: null };
  }

  private report({ supplier: { code }, problem }: QueriedSupplier): void {
    if (problem === null) {
      if (this.silent.delete(code)) this.logger.info({ supplier: code }, 'a supplier reports our balance again');
    } else if (!this.silent.has(code)) {
      this.silent.add(code);
      this.logger.warn({ supplier: code, detail: problem.detail }, 'a supplier does not report our balance');
    }
  }
}
