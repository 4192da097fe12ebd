import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { WaitingDeliveries } from '../webhooks/waiting-deliveries.js';
import { Recurring } from './recurring.js';

const INTERVAL_MS = 2_000;

/** Finishes what changes of webhooks mean for very many waiting deliveries, or for those that a crash left behind. */
@Injectable()
export class WebhookChanges implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly following: Recurring;

  constructor(schema: SchemaService, waiting: WaitingDeliveries, @Inject(LOGGER) logger: Logger) {
    this.following = new Recurring({
      whenReady: () => schema.whenReady(),
      intervalMs: INTERVAL_MS,
      run: (stop) => waiting.carryOn(stop),
      onError: ({ message }) => logger.warn({ reason: message }, 'sweep for changed webhooks failed'),
    });
  }

  onApplicationBootstrap(): void {
    this.following.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.following.stop();
  }
}
