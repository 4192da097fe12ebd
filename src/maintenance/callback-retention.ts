import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { SupplierCallbacksRepository } from '../supplier-callbacks/supplier-callbacks.repository.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 3_600_000;
const BATCH = 1_000;
/** Between batches, so that orders hardly notice. */
const PAUSE_MS = 100;

/**
 * Removes what suppliers called us with when it is older than WEBHOOK_LOG_DAYS, every hour and in small batches. Workers
 * that do it at the same time pass over what the others remove.
 */
@Injectable()
export class CallbackRetention extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly callbacks: SupplierCallbacksRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    if (config.WEBHOOK_LOG_DAYS === 0) return;
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: (stop) => this.removeOld(stop),
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'old supplier callbacks could not be removed: retrying in an hour'),
    });
  }

  private async removeOld(stop: AbortSignal): Promise<void> {
    let total = 0;
    let removed: number;
    do {
      removed = await this.callbacks.removeOld(this.config.WEBHOOK_LOG_DAYS, BATCH);
      total += removed;
      if (removed === BATCH) await delay(PAUSE_MS);
    } while (removed === BATCH && !stop.aborted);
    if (total > 0) this.logger.info({ callbacks: total }, 'old supplier callbacks were removed');
  }
}
