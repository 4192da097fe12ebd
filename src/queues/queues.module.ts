import { BullModule, getQueueToken } from '@nestjs/bull';
import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Queue } from 'bull';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { isClosing, openConnections } from './bull-connections.js';
import { ConnectionWatch } from './connection-watch.js';
import { QueueNotifier } from './queue-notifier.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from './queues.js';
import { RedisHealthService } from './redis-health.service.js';
import { redisConnections } from './redis-options.js';
import { WorkNotifier } from './work-notifier.js';
import { WorkerHeartbeatService } from './worker-heartbeat.service.js';
import { WorkerProcessesRepository } from './worker-processes.repository.js';

@Global()
@Module({
  imports: [
    DiscoveryModule,
    BullModule.forRootAsync({
      inject: [CONFIG],
      useFactory: (config: Config) => ({
        prefix: config.QUEUE_PREFIX,
        ...redisConnections(config),
        // How soon Bull requests the next job again after Redis refused the request.
        settings: { retryProcessDelay: 1_000 },
        // PostgreSQL has the work, so Redis forgets a job as soon as it has run.
        defaultJobOptions: { removeOnComplete: true, removeOnFail: true, attempts: 1 },
      }),
    }),
    BullModule.registerQueue({ name: FULFILMENT_QUEUE }, { name: WEBHOOKS_QUEUE }),
  ],
  providers: [
    { provide: WorkNotifier, useClass: QueueNotifier },
    WorkerProcessesRepository,
    WorkerHeartbeatService,
    RedisHealthService,
  ],
  exports: [WorkNotifier, WorkerHeartbeatService, RedisHealthService, BullModule],
})
export class QueuesModule implements OnApplicationShutdown {
  private readonly watch: ConnectionWatch;

  constructor(
    @Inject(getQueueToken(FULFILMENT_QUEUE)) fulfilment: Queue,
    @Inject(getQueueToken(WEBHOOKS_QUEUE)) webhooks: Queue,
    @Inject(LOGGER) logger: Logger,
  ) {
    for (const queue of [fulfilment, webhooks]) closeQuietly(queue);
    this.watch = new ConnectionWatch([fulfilment, webhooks], logger);
  }

  onApplicationShutdown(): void {
    this.watch.close();
  }
}

type Promised = (...args: unknown[]) => Promise<void>;

/**
 * Ignores errors of closing a queue, and errors of calls that closing interrupts: a connection that never opened must
 * not make a process fail at its end. No code awaits the calls of `process` and `setWorkerName`, so their rejection
 * would end the process at once.
 */
function closeQuietly(queue: Queue): void {
  const close = async (): Promise<void> => {
    await queue.close().catch(() => undefined);
    // Bull leaves connections open that it did not create itself, such as connections to a cluster.
    for (const connection of Object.values(openConnections(queue))) connection.disconnect();
  };
  const untilClosing =
    (begin: Promised): Promised =>
    (...args) =>
      begin.apply(queue, args).catch((error: unknown) => {
        if (!isClosing(queue)) throw error;
      });
  const { process, setWorkerName } = queue as unknown as Record<'process' | 'setWorkerName', Promised>;
  Object.assign(queue, {
    onApplicationShutdown: close,
    process: untilClosing(process),
    setWorkerName: untilClosing(setWorkerName),
  });
}
