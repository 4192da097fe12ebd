import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { WorkerTask } from '../../core/worker-task.js';
import { ClosingsRepository } from './closings.repository.js';
import { isRefusal, MonthClosingService, type ClosedMonth, type Refusal } from './month-closing.service.js';

const LOOK_EVERY_MS = 60_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Of a worker that died: the turn is another's so long after its last piece. */
const TURN_S = 900;

/** A worker was told to stop: the month is begun again by another, from its first order. */
class Stopped extends Error {}

/**
 * Closes months that ended MONTH_CLOSE_AFTER_DAYS ago, one worker at a time, with a rest after each piece that is as long as the
 * piece took: nothing waits for it. A month in which a check fails is tried again a day later.
 */
@Injectable()
export class MonthCloserService {
  /** The last time that the turn was kept while a month is read. */
  private kept = Promise.resolve();

  constructor(
    private readonly months: MonthClosingService,
    private readonly turns: ClosingsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @WorkerTask('month_closing', {
    every: LOOK_EVERY_MS,
    offBy: 'MONTH_CLOSE_AFTER_DAYS',
    failed: 'months could not be closed: retrying later',
  })
  async closeWhenTime(stop: AbortSignal, days: number): Promise<void> {
    if (!(await this.turns.acquireLock(TURN_S))) return;
    try {
      const isWhole = await untilStopped(stop, this.closeAll(days, stop));
      await this.turns.extendLock(isWhole ? HOUR_S : DAY_S);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      await this.kept.catch(() => undefined);
      await this.turns.extendLock(0);
      this.logger.info('closing a month was stopped with this worker: another begins it again');
    }
  }

  /** @returns false where a check of one failed. */
  private async closeAll(days: number, stop: AbortSignal): Promise<boolean> {
    let isWhole = true;
    for await (const found of this.months.close({ days, onProgress: () => this.rests(stop) })) {
      this.report(found);
      isWhole = !isRefusal(found);
    }
    return isWhole;
  }

  private report(found: ClosedMonth | Refusal): void {
    if (isRefusal(found)) {
      this.logger.error(found, 'a month was not closed: its books are not in order');
      return;
    }
    const { month, orders, left_open: leftOpen } = found;
    this.logger.info({ month, orders: Number(orders), leftOpen: leftOpen.length }, 'a month was closed');
  }

  /** What is done between two pieces. */
  private rests(stop: AbortSignal): () => Promise<void> {
    let sinceMs = performance.now();
    return async () => {
      await delay(performance.now() - sinceMs, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) throw new Stopped();
      this.kept = this.turns.extendLock(TURN_S);
      await this.kept;
      sinceMs = performance.now();
    };
  }
}

/**
 * Does not wait for the piece that is being read when the worker stops: reading changes nothing, and no other piece follows.
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
