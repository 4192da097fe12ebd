import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { UnitDispatcher } from '../fulfilment/unit-dispatcher.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { RedisHealth } from '../queues/redis-health.js';
import { WebhookDispatcher } from '../webhooks/webhook-dispatcher.js';
import { WorkerJob } from './worker-job.js';
import { WrittenAheadRepository } from './written-ahead.repository.js';

const INTERVAL_MS = 2_000;
/** While workers can’t be woken through Redis. */
const WITHOUT_REDIS_MS = 250;
/** By then no transaction is open that read the clock before it was set back: our connections end them within 10 seconds. */
const LONGEST_TRANSACTION_MS = 15_000;

/**
 * Sweeps PostgreSQL, every two seconds and more often while Redis can't be used, for work that is due and that no wake-up
 * started: Redis may have lost the wake-up, a process may have died with the work. It is what makes Redis disposable.
 */
@Injectable()
export class OverdueSweeper extends WorkerJob {
  /** How long to look for what was written ahead of the clock. At first it is unknown what the clock did while no worker ran. */
  private pullBackUntilMs: number | undefined = performance.now();

  constructor(
    schema: SchemaService,
    private readonly heartbeat: WorkerHeartbeat,
    private readonly units: UnitDispatcher,
    private readonly webhooks: WebhookDispatcher,
    private readonly redis: RedisHealth,
    private readonly written: WrittenAheadRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: INTERVAL_MS,
      run: () => this.beatAndSweep(),
      onError: ({ message }) => logger.warn({ reason: message }, 'sweep for overdue work failed'),
    });
    this.repeat({
      intervalMs: WITHOUT_REDIS_MS,
      run: async () => void (this.redis.isUp || (await this.sweep())),
      // The other one says so, too.
      onError: () => undefined,
    });
  }

  /** Ends the sweeping, then waits for the work that has begun; what is only due is left to other workers. */
  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.all([this.units.drain(), this.webhooks.drain()]);
    await this.heartbeat.deregister().catch(() => undefined);
  }

  private async beatAndSweep(): Promise<void> {
    const { dead, clockWasSetBack, clockWasSetForward } = await this.heartbeat.beat();
    if (clockWasSetForward)
      this.logger.warn(
        'the clock of the database was set forward: nothing in doubt is sent again for a while',
      );
    await this.takeOverClaimsOf(dead);
    if (clockWasSetBack) this.pullBackUntilMs = performance.now() + LONGEST_TRANSACTION_MS;
    if (this.pullBackUntilMs !== undefined) await this.pullBack(this.pullBackUntilMs);
    await this.sweep();
  }

  private async sweep(): Promise<void> {
    await Promise.all([this.units.work.sweep(), this.webhooks.work.sweep()]);
  }

  /** No delay gets longer than its rule allows, wherever the database's clock has been. */
  private async pullBack(untilMs: number): Promise<void> {
    const isLast = performance.now() >= untilMs;
    const [units, deliveries, others] = await Promise.all([
      this.units.work.pullBack(),
      this.webhooks.work.pullBack(),
      this.written.pullBack(),
    ]);
    if (isLast) this.pullBackUntilMs = undefined;
    if (units + deliveries + others > 0)
      this.logger.warn(
        { units, deliveries, others },
        'the clock of the database was set back: work is due earlier',
      );
  }

  private async takeOverClaimsOf(dead: string[]): Promise<void> {
    if (dead.length === 0) return;
    this.logger.warn({ workers: dead }, 'workers are gone: their claims are taken over');
    await Promise.all([this.units.work.takeOverClaimsOf(dead), this.webhooks.work.takeOverClaimsOf(dead)]);
    await this.heartbeat.forget(dead);
  }
}
