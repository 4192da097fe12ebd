import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { AttemptChecks } from '../fulfilment/attempt-checks.js';
import { Recurring } from './recurring.js';

const INTERVAL_MS = 1_000;

/** Has successful attempts checked whose suppliers called about them. */
@Injectable()
export class AttemptRechecks implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly checking: Recurring;

  constructor(schema: SchemaService, checks: AttemptChecks, @Inject(LOGGER) logger: Logger) {
    this.checking = new Recurring({
      whenReady: () => schema.whenReady(),
      intervalMs: INTERVAL_MS,
      run: async (stop) => {
        while (!stop.aborted && (await checks.checkDue()));
      },
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'what suppliers called about again could not be looked after'),
    });
  }

  onApplicationBootstrap(): void {
    this.checking.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.checking.stop();
  }
}
