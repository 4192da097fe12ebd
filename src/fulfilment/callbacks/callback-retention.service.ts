import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { HOUR_MS } from '../../core/durations.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { removeInBatches } from '../../database/remove-in-batches.js';
import { WorkerHeartbeatService } from '../../queues/worker-heartbeat.service.js';
import { SupplierCallbacksRepository } from './supplier-callbacks.repository.js';

/**
 * Removes callbacks older than WEBHOOK_LOG_DAYS. If several workers remove rows at the same time, each skips rows that
 * another has locked.
 */
@Injectable()
export class CallbackRetentionService {
  constructor(
    private readonly callbacks: SupplierCallbacksRepository,
    private readonly heartbeat: WorkerHeartbeatService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('old_callbacks', {
    every: HOUR_MS,
    offBy: 'WEBHOOK_LOG_DAYS',
    failed: 'old supplier callbacks could not be removed: retrying in an hour',
  })
  async removeOld(stop: AbortSignal, days: number): Promise<void> {
    const remove = (limit: number): Promise<number> =>
      this.callbacks.removeOld(days, limit, this.heartbeat.retentionLimit());
    const callbacks = await removeInBatches(remove, stop);
    if (callbacks > 0) this.logger.info({ callbacks }, 'old supplier callbacks were removed');
  }
}
