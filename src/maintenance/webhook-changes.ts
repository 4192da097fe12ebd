import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { WaitingDeliveries } from '../webhooks/waiting-deliveries.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 2_000;

/** Finishes what changes of webhooks mean for very many waiting deliveries, or for those that a crash left behind. */
@Injectable()
export class WebhookChanges extends WorkerJob {
  constructor(schema: SchemaService, waiting: WaitingDeliveries, @Inject(LOGGER) logger: Logger) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: (stop) => waiting.carryOn(stop),
      onError: ({ message }) => logger.warn({ reason: message }, 'sweep for changed webhooks failed'),
    });
  }
}
