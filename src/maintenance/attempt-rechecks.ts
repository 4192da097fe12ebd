import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { AttemptChecks } from '../fulfilment/attempt-checks.js';
import { WorkerJob } from './worker-job.js';

const INTERVAL_MS = 1_000;

/** Has attempts checked that ended and whose suppliers called about them. */
@Injectable()
export class AttemptRechecks extends WorkerJob {
  constructor(schema: SchemaService, checks: AttemptChecks, @Inject(LOGGER) logger: Logger) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: async (stop) => {
        while (!stop.aborted && (await checks.checkDue()));
      },
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'what suppliers called about again could not be looked after'),
    });
  }
}
