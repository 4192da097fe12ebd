import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { LOGGER } from '../core/core.module.js';
import { withDeadline } from '../core/durations.js';
import type { Logger } from '../core/logger.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from './queues.js';

const CHECK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;
const ALIVE_KEY_MS = 10_000;

/**
 * Knows whether Redis answers and accepts writes. Even on a good connection, a replica refuses writes (READONLY), and
 * so does a server with full memory (OOM). Logs each change once, and each further reason of an outage: the first
 * reason may be only a slow connection, and a later one the fault that an operator must mend.
 */
@Injectable()
export class RedisHealthService implements OnApplicationShutdown {
  private readonly healths: QueueHealth[];
  private readonly timer: NodeJS.Timeout;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) fulfilment: Queue,
    @InjectQueue(WEBHOOKS_QUEUE) webhooks: Queue,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.healths = [fulfilment, webhooks].map((queue) => new QueueHealth(queue, logger));
    this.timer = setInterval(() => this.healths.forEach((each) => void each.check()), CHECK_EVERY_MS).unref();
  }

  get isUp(): boolean {
    return this.healths.every(({ isUp }) => isUp);
  }

  /** Checks the queue's connection. To be called when Redis has not taken a write. */
  check(queue: Queue): void {
    void this.healths.find((each) => each.isOf(queue))?.check();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const each of this.healths) each.close();
  }
}

class QueueHealth {
  /** The reasons of an outage, without their numbers, which may differ each time. None while Redis accepts writes. */
  private readonly reasons = new Set<string>();
  private isChecking = false;
  private isClosed = false;

  constructor(
    private readonly queue: Queue,
    private readonly logger: Logger,
  ) {
    // An error on an open connection may be about one job only. So a write checks whether Redis can be used.
    queue.on('error', (error: Error) => (queue.client.status === 'ready' ? void this.check() : this.failed(error)));
    queue.client.on('ready', () => void this.check());
  }

  get isUp(): boolean {
    return this.reasons.size === 0 && this.queue.client.status === 'ready';
  }

  isOf(queue: Queue): boolean {
    return this.queue === queue;
  }

  /** Writes a small key. The reply also shows `ConnectionWatch` that the connection lives. */
  async check(): Promise<void> {
    const { client } = this.queue;
    if (this.isChecking || client.status !== 'ready') return;
    this.isChecking = true;
    try {
      await withDeadline(client.set(this.queue.toKey('alive'), '', 'PX', ALIVE_KEY_MS), ANSWER_WITHIN_MS);
      this.recovered();
    } catch (error) {
      this.failed(error as Error);
    } finally {
      this.isChecking = false;
    }
  }

  close(): void {
    this.isClosed = true;
  }

  private failed({ message }: Error): void {
    const reason = message.replace(/\d+/g, '');
    if (this.reasons.has(reason)) return;
    this.reasons.add(reason);
    if (this.isClosed) return;
    this.logger.warn(
      { queue: this.queue.name, reason: message },
      'Redis can’t be used: workers find work without wake-ups, less promptly',
    );
  }

  private recovered(): void {
    if (this.reasons.size > 0) this.logger.info({ queue: this.queue.name }, 'Redis can be used again');
    this.reasons.clear();
  }
}
