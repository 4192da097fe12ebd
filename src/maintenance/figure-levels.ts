import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { SchemaService } from '../database/schema.service.js';
import { FiguresService } from '../figures/figures.service.js';
import { MinuteFiguresRepository } from '../figures/minute-figures.repository.js';
import { WorkerJob } from './worker-job.js';

const LOOK_EVERY_MS = 20_000;
const REMOVE_EVERY_MS = 3_600_000;
const KEPT_DAYS = 90;
const BATCH = 1_000;
/** Between batches, so that orders hardly notice. */
const PAUSE_MS = 100;

/**
 * Keeps once a minute what PostgreSQL knows of open work, by whichever worker comes first, and removes figures that are
 * older than 90 days.
 */
@Injectable()
export class FigureLevels extends WorkerJob {
  constructor(
    schema: SchemaService,
    private readonly figures: FiguresService,
    private readonly minutes: MinuteFiguresRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super(schema);
    this.repeat({
      intervalMs: LOOK_EVERY_MS,
      run: () => this.keep(),
      // A minute without them is a gap in a line; that PostgreSQL is away is said elsewhere.
      onError: ({ message }) => logger.debug({ reason: message }, 'levels of this minute were not kept'),
    });
    this.repeat({
      intervalMs: REMOVE_EVERY_MS,
      run: (stop) => this.removeOld(stop),
      onError: ({ message }) =>
        logger.warn({ reason: message }, 'old figures could not be removed: retrying in an hour'),
    });
  }

  private async keep(): Promise<void> {
    if (await this.minutes.hasLevels()) return;
    const levels = [...(await this.figures.readLevels())].map(
      ([name, value]) => [name, BigInt(value)] as const,
    );
    await this.minutes.keepLevels(new Map(levels));
  }

  private async removeOld(stop: AbortSignal): Promise<void> {
    let total = 0;
    let removed: number;
    do {
      removed = await this.minutes.removeOld(KEPT_DAYS, BATCH);
      total += removed;
      if (removed === BATCH) await delay(PAUSE_MS);
    } while (removed === BATCH && !stop.aborted);
    if (total > 0) this.logger.info({ rows: total }, 'old figures were removed');
  }
}
