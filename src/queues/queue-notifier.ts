import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { InjectQueue } from '@nestjs/bull';
import type { Queue } from 'bull';
import { LOGGER } from '../core/core.module.js';
import { withDeadline } from '../core/durations.js';
import { failpoint } from '../core/failpoints.js';
import type { Logger } from '../core/logger.js';
import { findDispatchers, type Dispatching } from './dispatcher.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE, type WakeUpJob } from './queues.js';
import { RedisHealthService } from './redis-health.service.js';
import type { WorkNotifier } from './work-notifier.js';

/** How long Redis may take for a batch of jobs. After that, the sender gives the batch up, and the sweeper finds the work. */
const GIVE_UP_AFTER_MS = 2_000;

/**
 * Wakes workers. If this process is a worker with a free slot for the work, it wakes itself. All other wake-ups go through Redis to
 * any worker. The first wake-up goes out at once. Wake-ups that follow within milliseconds share the next job, so that a worker
 * claims more work at a time.
 */
@Injectable()
export class QueueNotifier implements WorkNotifier, OnApplicationBootstrap, OnApplicationShutdown {
  private readonly fulfilment: WakeUpSender;
  private readonly webhooks: WakeUpSender;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) fulfilment: Queue<WakeUpJob>,
    @InjectQueue(WEBHOOKS_QUEUE) webhooks: Queue<WakeUpJob>,
    health: RedisHealthService,
    @Inject(LOGGER) logger: Logger,
    private readonly discovery: DiscoveryService,
  ) {
    this.fulfilment = new WakeUpSender(fulfilment, health, logger);
    this.webhooks = new WakeUpSender(webhooks, health, logger);
  }

  onApplicationBootstrap(): void {
    const dispatchers = findDispatchers(this.discovery);
    this.fulfilment.own = dispatchers.get('units')?.work;
    this.webhooks.own = dispatchers.get('deliveries')?.work;
  }

  notifyFulfilment(supplierIds: Iterable<number>, delayMs = 0): void {
    this.fulfilment.add(supplierIds, delayMs);
  }

  notifyWebhooks(webhookIds: Iterable<number>, delayMs = 0): void {
    this.webhooks.add(webhookIds, delayMs);
  }

  onApplicationShutdown(): void {
    this.fulfilment.close();
    this.webhooks.close();
  }
}

/** Work that is due after a longer delay gets no job, because hours of retries would fill Redis. The sweeper finds such work. */
const MAX_DELAY_MS = 60_000;

/** The pause between two batches of a queue's jobs, in which wake-ups gather. */
const GATHER_MS = 5;

/** Delays are rounded up to a multiple of this, so that wake-ups for about the same time share a job. */
const DELAY_STEP_MS = 100;

/** Sends the wake-ups of one queue. */
class WakeUpSender {
  /** The leased work of this process; undefined outside a worker. */
  own: Dispatching['work'] | undefined;
  private waiting = new Map<number, Set<number>>();
  private sending = false;
  private closed = false;

  constructor(
    private readonly queue: Queue<WakeUpJob>,
    private readonly health: RedisHealthService,
    private readonly logger: Logger,
  ) {}

  add(ids: Iterable<number>, delayMs: number): void {
    if (delayMs > MAX_DELAY_MS) return;
    const others = delayMs > 0 ? ids : (this.own?.wakeFree(ids) ?? ids);
    const roundedMs = Math.ceil(delayMs / DELAY_STEP_MS) * DELAY_STEP_MS;
    const set = this.waiting.get(roundedMs) ?? new Set();
    for (const id of others) set.add(id);
    if (set.size === 0) return;
    this.waiting.set(roundedMs, set);
    if (!this.sending) setImmediate(() => void this.send());
  }

  close(): void {
    this.closed = true;
  }

  private async send(): Promise<void> {
    if (this.sending || this.closed) return;
    this.sending = true;
    while (this.waiting.size > 0) {
      const batch = this.waiting;
      this.waiting = new Map();
      await this.sendBatch(batch);
      await delay(GATHER_MS);
    }
    this.sending = false;
  }

  private async sendBatch(batch: Map<number, Set<number>>): Promise<void> {
    // While Redis cannot be used, `addBulk` would wait, and hold every job in memory.
    if (!this.health.isUp) return;
    const jobs = [...batch].map(([delayMs, ids]) => ({ data: { ids: [...ids] }, opts: { delay: delayMs } }));
    try {
      const added = await withDeadline(this.queue.addBulk(jobs), GIVE_UP_AFTER_MS);
      // If Redis refuses single jobs, Bull does not throw.
      if (added.some(({ id }) => id === undefined || id === null)) throw new Error('Redis took no job');
      failpoint('wake_up.enqueued');
    } catch (error) {
      this.health.check(this.queue);
      this.logger.debug({ queue: this.queue.name, reason: (error as Error).message }, 'a wake-up was not sent');
    }
  }
}
