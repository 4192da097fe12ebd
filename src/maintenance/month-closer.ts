import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ClosingsRepository } from '../audit/closings.repository.js';
import { MonthClosingService } from '../audit/month-closing.service.js';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { WorkerJob } from './worker-job.js';

const LOOK_EVERY_MS = 60_000;
const HOUR_S = 3_600;
const DAY_S = 86_400;
/** Of a worker that died: the turn is another's so long after its last piece. */
const TURN_S = 900;

/** A worker was told to stop between two pieces: the month is begun again by whoever looks next. */
class Stopped extends Error {}

/**
 * Closes months that ended MONTH_CLOSE_AFTER_DAYS ago, one worker at a time, with a rest after each piece that is as long as the
 * piece took: nothing waits for it. A month in which a check fails is tried again a day later.
 */
@Injectable()
export class MonthCloser extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly months: MonthClosingService,
    private readonly turns: ClosingsRepository,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    const { MONTH_CLOSE_AFTER_DAYS: days } = config;
    if (days === 0) return;
    this.repeat({
      intervalMs: LOOK_EVERY_MS,
      run: (stop) => this.closeWhenTime(days, stop),
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'months could not be closed: retrying later'),
    });
  }

  private async closeWhenTime(days: number, stop: AbortSignal): Promise<void> {
    if (!(await this.turns.takeTurn(TURN_S))) return;
    try {
      const { closed, refused } = await this.months.close({ days, onProgress: () => this.rests(stop) });
      for (const { month, orders, left_open: leftOpen } of closed)
        this.logger.info({ month, orders: Number(orders), leftOpen: leftOpen.length }, 'a month was closed');
      if (refused) this.logger.error(refused, 'a month was not closed: its books are not in order');
      await this.turns.keepTurn(refused ? DAY_S : HOUR_S);
    } catch (error) {
      if (error instanceof Stopped) return this.turns.keepTurn(0);
      throw error;
    }
  }

  /** What is done between two pieces. */
  private rests(stop: AbortSignal): () => Promise<void> {
    let sinceMs = performance.now();
    return async () => {
      await delay(performance.now() - sinceMs, undefined, { signal: stop }).catch(() => undefined);
      if (stop.aborted) throw new Stopped();
      await this.turns.keepTurn(TURN_S);
      sinceMs = performance.now();
    };
  }
}
