import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { HeldUnits } from '../fulfilment/held-units.js';
import { UnitDispatcher } from '../fulfilment/unit-dispatcher.js';
import { SupplierPauses, type ProbedSupplier } from '../suppliers/supplier-pauses.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 1_000;

/**
 * Asks paused suppliers for our balance when they are due for it, and lets those go on that may; looks after the units that
 * wait for the others.
 */
@Injectable()
export class SupplierProbes extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly pauses: SupplierPauses,
    private readonly units: UnitDispatcher,
    held: HeldUnits,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: async () => {
        await this.probe();
        await held.release();
      },
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'paused suppliers could not be looked after'),
    });
  }

  private async probe(): Promise<void> {
    const probed = await this.pauses.probeDue();
    for (const each of probed) this.report(each);
    this.units.work.wake(probed.filter(({ isResumed }) => isResumed).map(({ supplier }) => supplier.id));
  }

  private report({ supplier, answer, isResumed }: ProbedSupplier): void {
    const about = { supplier: supplier.code, reason: supplier.pause_reason };
    if (isResumed) this.logger.info(about, 'a paused supplier goes on');
    else
      this.logger.warn(
        { ...about, detail: answer.known ? undefined : answer.detail },
        'a supplier stays paused',
      );
  }
}
