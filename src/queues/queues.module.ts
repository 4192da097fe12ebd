import { BullModule, getQueueToken } from '@nestjs/bull';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { ConnectionWatch } from './connection-watch.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from './queues.js';
import { redisOptions } from './redis-options.js';
import { WakeUps } from './wake-ups.js';

@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        prefix: config.QUEUE_PREFIX,
        redis: redisOptions(config),
        // PostgreSQL remembers what is left to do, so a job is forgotten as soon as it has run.
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      }),
    }),
    BullModule.registerQueue({ name: FULFILMENT_QUEUE }, { name: WEBHOOKS_QUEUE }),
  ],
  providers: [WakeUps],
  exports: [WakeUps, BullModule],
})
export class QueuesModule implements OnApplicationShutdown {
  private readonly watch: ConnectionWatch;

  constructor(
    @Inject(getQueueToken(FULFILMENT_QUEUE)) fulfilment: Queue,
    @Inject(getQueueToken(WEBHOOKS_QUEUE)) webhooks: Queue,
    @Inject(LOGGER) logger: Logger,
  ) {
    for (const queue of [fulfilment, webhooks]) reportAbsence(queue, logger);
    this.watch = new ConnectionWatch([fulfilment, webhooks], logger);
  }

  onApplicationShutdown(): void {
    this.watch.close();
  }
}

/** Redis away is worth one line, not one for each attempt to reach it. */
function reportAbsence(queue: Queue, logger: Logger): void {
  let away = false;
  queue.on('error', (error: Error) => {
    if (!away)
      logger.warn({ queue: queue.name, reason: error.message }, 'Redis is away: work goes on, less promptly');
    away = true;
  });
  queue.client.on('ready', () => {
    if (away) logger.info({ queue: queue.name }, 'Redis is back');
    away = false;
  });
}
