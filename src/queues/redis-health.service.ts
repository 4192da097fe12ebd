import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Queue } from 'bull';
import { LOGGER } from '../core/core.module.js';
import { withDeadline } from '../core/durations.js';
import type { Logger } from '../core/logger.js';
import { FULFILMENT_QUEUE, WEBHOOKS_QUEUE } from './queues.js';

const LOOK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;
const ALIVE_KEY_MS = 10_000;

/**
 * Knows whether Redis answers and accepts writes. Even on a good connection, a replica refuses writes (READONLY), and so does a
 * server with full memory (OOM). Logs each change once.
 */
@Injectable()
export class RedisHealthService implements OnApplicationShutdown {
  private readonly looks: QueueHealth[];
  private readonly timer: NodeJS.Timeout;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) fulfilment: Queue,
    @InjectQueue(WEBHOOKS_QUEUE) webhooks: Queue,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.looks = [fulfilment, webhooks].map((queue) => new QueueHealth(queue, logger));
    this.timer = setInterval(() => this.looks.forEach((each) => void each.look()), LOOK_EVERY_MS).unref();
  }

  get isUp(): boolean {
    return this.looks.every(({ isUp }) => isUp);
  }

  /** Checks the queue's connection. To be called when Redis has not taken a write. */
  check(queue: Queue): void {
    void this.looks.find((each) => each.isOf(queue))?.look();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    for (const each of this.looks) each.close();
  }
}

class QueueHealth {
  private takes = true;
  private isLooking = false;
  private isClosed = false;

  constructor(
    private readonly queue: Queue,
    private readonly logger: Logger,
  ) {
    // An error on an open connection may be about one job only. So a write checks whether Redis can be used.
    queue.on('error', (error: Error) => (queue.client.status === 'ready' ? void this.look() : this.failed(error)));
    queue.client.on('ready', () => void this.look());
  }

  get isUp(): boolean {
    return this.takes && this.queue.client.status === 'ready';
  }

  isOf(queue: Queue): boolean {
    return this.queue === queue;
  }

  /** Writes a small key. The reply also shows `ConnectionWatch` that the connection lives. */
  async look(): Promise<void> {
    const { client } = this.queue;
    if (this.isLooking || client.status !== 'ready') return;
    this.isLooking = true;
    try {
      await withDeadline(client.set(this.queue.toKey('alive'), '', 'PX', ALIVE_KEY_MS), ANSWER_WITHIN_MS);
      this.recovered();
    } catch (error) {
      this.failed(error as Error);
    } finally {
      this.isLooking = false;
    }
  }

  close(): void {
    this.isClosed = true;
  }

  private failed({ message }: Error): void {
    if (this.takes && !this.isClosed)
      this.logger.warn({ queue: this.queue.name, reason: message }, 'Redis can’t be used: work goes on, less promptly');
    this.takes = false;
  }

  private recovered(): void {
    if (!this.takes) this.logger.info({ queue: this.queue.name }, 'Redis can be used again');
    this.takes = true;
  }
}
