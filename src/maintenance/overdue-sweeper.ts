import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { WorkerTask, type OnTasksStopped } from '../core/worker-task.js';
import { findDispatchers, type Dispatching } from '../queues/dispatcher.js';
import { RedisHealthService } from '../queues/redis-health.service.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import { WrittenAheadRepository } from './written-ahead.repository.js';

const INTERVAL_MS = 2_000;
/** The interval while Redis can't carry wake-ups. */
const WITHOUT_REDIS_MS = 250;
/**
 * After this time, no transaction still writes times that it read before the clock was set back: transactions of
 * requests end within the 10 s that clients wait. The rest is a margin.
 */
const MAX_TRANSACTION_MS = 15_000;

/**
 * Finds due work in PostgreSQL that no wake-up has started, because Redis lost the wake-up or a process died. It sweeps every
 * two seconds, and more often while Redis can't be used. So no work is lost if Redis loses all its data.
 */
@Injectable()
export class OverdueSweeper implements OnApplicationBootstrap, OnTasksStopped {
  private dispatchers = new Map<string, Dispatching>();
  /**
   * Until this time, each run searches for times that were written ahead of the clock. The initial value is now, so that the
   * first run searches once: the clock may have changed while no worker ran.
   */
  private pullBackUntilMs: number | undefined = performance.now();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly heartbeat: WorkerHeartbeatService,
    private readonly redis: RedisHealthService,
    private readonly written: WrittenAheadRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.dispatchers = findDispatchers(this.discovery);
  }

  /** Waits for work that has begun. Other workers do the remaining work. */
  async onTasksStopped(): Promise<void> {
    await this.forAll((dispatcher) => dispatcher.drain());
    await this.heartbeat.deregister().catch(() => undefined);
  }

  @WorkerTask('overdue_work', { every: INTERVAL_MS, failed: 'sweep for overdue work failed' })
  async beatAndSweep(): Promise<void> {
    const { dead, clockWasSetBack, clockWasSetForward } = await this.heartbeat.beat();
    if (clockWasSetForward)
      this.logger.warn(
        'the clock of the database was set forward: nothing in doubt is sent again for a while, and no old event is removed for 12 h',
      );
    if (clockWasSetBack) this.pullBackUntilMs = performance.now() + MAX_TRANSACTION_MS;
    try {
      await this.takeOverClaimsOf(dead);
    } finally {
      // Also after a failure: a failure in each run must not keep this worker from all other work.
      await this.sweep();
    }
  }

  /** Logs no failures, because `beatAndSweep` logs the same failures. */
  @WorkerTask('overdue_work_without_redis', { every: WITHOUT_REDIS_MS })
  async sweepWithoutRedis(): Promise<void> {
    if (!this.redis.isUp) await this.sweep();
  }

  /**
   * Reschedules rows that were written while the database's clock was ahead, so that no delay exceeds its limit. It is a task of
   * its own, because it reads whole tables: meanwhile the heartbeat would wait, and other workers would take over claims.
   */
  @WorkerTask('written_ahead', { every: INTERVAL_MS, failed: 'times ahead of the clock could not be corrected' })
  async pullBack(): Promise<void> {
    const untilMs = this.pullBackUntilMs;
    if (untilMs === undefined) return;
    const isLast = performance.now() >= untilMs;
    const [pulled, others] = await Promise.all([this.forAll(({ work }) => work.pullBack()), this.written.pullBack()]);
    // Unless a heartbeat has noticed another step of the clock meanwhile.
    if (isLast && this.pullBackUntilMs === untilMs) this.pullBackUntilMs = undefined;
    const counts = { ...Object.fromEntries(pulled), others };
    if (Object.values(counts).some((count) => count > 0))
      this.logger.warn(counts, 'the clock of the database was set back: work is due earlier');
  }

  private async sweep(): Promise<void> {
    await this.forAll(({ work }) => work.sweep());
  }

  private async takeOverClaimsOf(dead: string[]): Promise<void> {
    if (dead.length === 0) return;
    this.logger.warn({ workers: dead }, 'workers are gone: their claims are taken over');
    await this.forAll(({ work }) => work.takeOverClaimsOf(dead));
    await this.heartbeat.forget(dead);
  }

  /** @returns the results, by the name of the work. */
  private forAll<Result>(act: (dispatcher: Dispatching) => Promise<Result>): Promise<[string, Result][]> {
    return Promise.all(
      [...this.dispatchers].map(async ([name, each]): Promise<[string, Result]> => [name, await act(each)]),
    );
  }
}
