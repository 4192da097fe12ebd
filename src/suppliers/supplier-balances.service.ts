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

/** A supplier that was asked for our balance. */
export interface QueriedSupplier {
  /** With the balance that it told, or else the last one that it told before. */
  supplier: Supplier;
  /** Why it told none now; null where it did. */
  problem: Unavailable | null;
}

const MAX_TOLD = 200;

/** What we have left at suppliers. */
@Injectable()
export class SupplierBalancesService {
  /** Those that told nothing when last asked: that is worth one line, not one each time. */
  private readonly silent = new Set<string>();

  constructor(
    private readonly suppliers: SuppliersService,
    private readonly repository: SupplierBalancesRepository,
    private readonly pauses: SupplierPausesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Asks suppliers now, beside each other, and keeps what they tell. */
  ask(suppliers: Supplier[]): Promise<QueriedSupplier[]> {
    return Promise.all(suppliers.map((supplier) => this.askOne(supplier)));
  }

  /** Asks suppliers that are bought from and due for it; paused ones are probed instead. */
  @WorkerTask('supplier_balances', {
    dueBy: 'SUPPLIER_BALANCE_INTERVAL_MS',
    failed: 'suppliers could not be asked for balances',
  })
  async askAllDue(_stop: AbortSignal, intervalMs: number): Promise<void> {
    for (const asked of await this.askDue(intervalMs)) this.report(asked);
  }

  /** Asks those that were not asked within the interval; one that refuses our credentials or bans us is paused. */
  async askDue(intervalMs: number): Promise<QueriedSupplier[]> {
    const due = await this.repository.takeDue(adaptersWith('balance'), intervalMs);
    const asked = await this.ask(await Promise.all(due.map((code) => this.suppliers.getByCode(code))));
    for (const { supplier, problem } of asked) {
      if (problem) await this.pauses.beginFor(supplier, problem);
    }
    return asked;
  }

  /** For how many hours balances last at the pace of the last day, by supplier; null where that can't be told. */
  findLasting(): Promise<Map<string, number | null>> {
    return this.repository.findLasting();
  }

  /** What it told of our balance since, the oldest first: at most 200 of those readings, evenly. */
  listReported(supplier: Supplier, since: Date): Promise<ReportedBalance[]> {
    return this.repository.listReported(supplier, since, MAX_TOLD);
  }

  private async askOne(supplier: Supplier): Promise<QueriedSupplier> {
    const { answer } = await this.pauses.probe(supplier);
    if (!answer.known) return { supplier, problem: answer };
    return { supplier: await this.suppliers.getByCode(supplier.code), problem: null };
  }

  private report({ supplier: { code }, problem }: QueriedSupplier): void {
    if (problem === null) {
      if (this.silent.delete(code)) this.logger.info({ supplier: code }, 'a supplier tells our balance again');
    } else if (!this.silent.has(code)) {
      this.silent.add(code);
      this.logger.warn({ supplier: code, detail: problem.detail }, 'a supplier does not tell our balance');
    }
  }
}
