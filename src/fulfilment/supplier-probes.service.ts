import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask, type OnTasksStopped } from '../core/worker-task.js';
import type { Supplier } from '../suppliers/supplier.entity.js';
import { SupplierPausesService, type ProbedSupplier } from '../suppliers/supplier-pauses.service.js';
import { PausedUnitsService } from './paused-units.service.js';
import { isPassing } from './settlement-retry.service.js';
import { UnitDispatcher } from './unit-dispatcher.js';

/**
 * Queries our balance at suppliers that a fault paused, when due, and resumes suppliers that can sell again. If a supplier stays
 * paused, its waiting units go to another supplier, to review, or fail when they have waited too long.
 */
@Injectable()
export class SupplierProbesService implements OnTasksStopped {
  /** The probes in flight. */
  private readonly probes = new Set<Promise<void>>();

  constructor(
    private readonly pauses: SupplierPausesService,
    private readonly units: UnitDispatcher,
    private readonly pausedUnits: PausedUnitsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('paused_suppliers', { every: 1_000, failed: 'paused suppliers could not be checked' })
  async probeDue(): Promise<void> {
    let areRecorded = true;
    try {
      for (const supplier of await this.pauses.claimDueProbes()) this.begin(supplier);
    } catch (error) {
      // After a passing fault of PostgreSQL, the next run records the due probes, so units still wait for them. After any other
      // fault, no probe may ever be recorded, so units must not wait for one.
      areRecorded = isPassing(error);
      throw error;
    } finally {
      await this.pausedUnits.handle(areRecorded);
    }
  }

  async onTasksStopped(): Promise<void> {
    await Promise.all(this.probes);
  }

  /** Does not wait for the answer, so that a slow supplier holds up no failover of the others. */
  private begin(supplier: Supplier): void {
    const probe = this.probe(supplier)
      .catch((error: unknown) => this.logger.warn({ err: error }, 'a probe of a paused supplier could not be recorded'))
      .finally(() => this.probes.delete(probe));
    this.probes.add(probe);
  }

  private async probe(supplier: Supplier): Promise<void> {
    const probed = await this.pauses.probeClaimed(supplier);
    this.report(probed);
    if (probed.isResumed) this.units.work.wake([supplier.id]);
  }

  private report({ supplier, answer, isResumed }: ProbedSupplier): void {
    const about = { supplier: supplier.code, reason: supplier.pause_reason };
    if (isResumed) this.logger.info(about, 'a paused supplier is resumed');
    else this.logger.warn({ ...about, detail: answer.known ? undefined : answer.detail }, 'a supplier stays paused');
  }
}
