import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { ClosingsRepository } from './closings.repository.js';
import { isRefusal, MonthClosingService, type ClosedMonth, type Refusal } from './month-closing.service.js';

const CHECK_EVERY_MS = 60_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Lock expiry: if a worker dies, another may take over after this long. */
const LOCK_S = 900;

/** The worker is stopping. Another worker will begin the month again, from its first row. */
class Stopped extends Error {}

/**
 * Closes months that ended at least MONTH_CLOSE_AFTER_DAYS ago. One worker at a time closes months. After each batch, it rests
 * for as long as the batch took, to leave the database to orders. If a check fails, a worker tries the month again a day later.
 */
@Injectable()
export class MonthCloserService {
  /** The latest extension of the lock. */
  private lastExtension = Promise.resolve();

  constructor(
    private readonly months: MonthClosingService,
    private readonly closings: ClosingsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('month_closing', {
    every: CHECK_EVERY_MS,
    offBy: 'MONTH_CLOSE_AFTER_DAYS',
    failed: 'months could not be closed: retrying later',
  })
  async closeIfDue(stop: AbortSignal, days: number): Promise<void> {
    if (!(await this.closings.acquireLock(LOCK_S))) return;
    try {
      const hasPassed = await untilStopped(stop, this.closeAll(days, stop));
      // The lock also serves as a pause: workers look for months again in an hour, or in a day if a check failed.
      await this.closings.extendLock(hasPassed ? HOUR_S : DAY_S);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      await this.lastExtension.catch(() => undefined);
      // Releases the lock.
      await this.closings.extendLock(0);
      this.logger.info('this worker stopped while it closed a month: another one begins the month again');
    }
  }

  /** @returns false if a check failed. */
  private async closeAll(days: number, stop: AbortSignal): Promise<boolean> {
    let hasPassed = true;
    for await (const found of this.months.close({ days, onProgress: () => this.restAfterBatch(stop) })) {
      this.report(found);
      hasPassed = !isRefusal(found);
    }
    return hasPassed;
  }

  private report(found: ClosedMonth | Refusal): void {
    if (isRefusal(found)) {
      this.logger.error(found, 'a month was not closed: its books are not in order');
      return;
    }
    const { month, orders, left_open: leftOpen } = found;
    this.logger.info({ month, orders: Number(orders), leftOpen: leftOpen.length }, 'a month was closed');
  }

  /** @returns a function to call between two batches: it rests, then extends the lock. */
  private restAfterBatch(stop: AbortSignal): () => Promise<void> {
    let sinceMs = performance.now();
    return async () => {
      await delay(performance.now() - sinceMs, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) throw new Stopped();
      this.lastExtension = this.closings.extendLock(LOCK_S);
      await this.lastExtension;
      sinceMs = performance.now();
    };
  }
}

/**
 * Waits for the work, or until the worker stops. A stopping worker may abandon the work: batches only read, and one
 * transaction writes a closing.
 * @throws Stopped
 */
async function untilStopped<Result>(stop: AbortSignal, work: Promise<Result>): Promise<Result> {
  let end: (() => void) | undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    end = () => reject(new Stopped());
    stop.addEventListener('abort', end, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (end) stop.removeEventListener('abort', end);
  }
}
