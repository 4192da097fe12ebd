import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask } from '../core/worker-task.js';
import { SupplierPausesService, type ProbedSupplier } from '../suppliers/supplier-pauses.service.js';
import { PausedUnitsService } from './paused-units.service.js';
import { UnitDispatcher } from './unit-dispatcher.js';

/**
 * Queries our balance at paused suppliers when due, and resumes suppliers that can sell again. For units that wait for the other
 * suppliers, it begins a failover, or fails them when they have waited too long.
 */
@Injectable()
export class SupplierProbesService {
  constructor(
    private readonly pauses: SupplierPausesService,
    private readonly units: UnitDispatcher,
    private readonly pausedUnits: PausedUnitsService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('paused_suppliers', { every: 1_000, failed: 'paused suppliers could not be checked' })
  async probeDue(): Promise<void> {
    try {
      const probed = await this.pauses.probeDue();
      for (const each of probed) this.report(each);
      this.units.work.wake(probed.filter(({ isResumed }) => isResumed).map(({ supplier }) => supplier.id));
    } finally {
      // Only now: a unit must not fail because no worker ran when its supplier could sell again.
      await this.pausedUnits.handle();
    }
  }

  private report({ supplier, answer, isResumed }: ProbedSupplier): void {
    const about = { supplier: supplier.code, reason: supplier.pause_reason };
    if (isResumed) this.logger.info(about, 'a paused supplier is resumed');
    else this.logger.warn({ ...about, detail: answer.known ? undefined : answer.detail }, 'a supplier stays paused');
  }
}
