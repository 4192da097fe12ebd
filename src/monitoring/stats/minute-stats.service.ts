import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { withDeadline } from '../../core/deadline.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { WorkerTask, type OnTasksStopped } from '../../core/worker-task.js';
import { removeInBatches } from '../../database/remove-in-batches.js';
import { readCounted, since, type Counted } from './counted.js';
import { StatsService } from './stats.service.js';
import { MinuteStatsRepository } from './minute-stats.repository.js';

/** A process that stops waits no longer for its last figures. */
const LAST_WITHIN_MS = 1_000;
const KEPT_DAYS = 90;

/** Keeps the figures of each minute: what the processes counted, and what PostgreSQL knows of open work. */
@Injectable()
export class MinuteStatsService implements OnTasksStopped {
  private kept: Counted[] = [];

  constructor(
    private readonly figures: StatsService,
    private readonly minutes: MinuteStatsRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Adds what this process has counted since the last time, in one statement. It reads what the metrics counted, so that
   * nothing is added to the way of an order. What could not be written is part of the next difference.
   */
  @WorkerTask('minute_figures', {
    every: 10_000,
    inEveryProcess: true,
    failed: 'figures could not be kept: they are added later',
    once: true,
  })
  async add(): Promise<void> {
    const counted = await readCounted(this.metrics.registry);
    const rows = since(this.kept, counted);
    if (rows.length > 0) await this.minutes.add(rows);
    this.kept = counted;
  }

  /** What was counted since the last time would be lost. */
  async onTasksStopped(): Promise<void> {
    await withDeadline(this.add(), LAST_WITHIN_MS).catch(() => undefined);
  }

  /** Once a minute, by whichever worker comes first. A minute without them is a gap in a line. */
  @WorkerTask('figure_levels', {
    every: 20_000,
    failed: 'levels of this minute were not kept',
    level: 'debug',
  })
  async keepLevels(): Promise<void> {
    if (await this.minutes.hasLevels()) return;
    const levels = [...(await this.figures.readLevels())].map(([name, value]) => [name, BigInt(value)] as const);
    await this.minutes.keepLevels(new Map(levels));
  }

  @WorkerTask('old_figures', {
    every: 3_600_000,
    failed: 'old figures could not be removed: retrying in an hour',
  })
  async removeOld(stop: AbortSignal): Promise<void> {
    const rows = await removeInBatches((limit) => this.minutes.removeOld(KEPT_DAYS, limit), stop);
    if (rows > 0) this.logger.info({ rows }, 'old figures were removed');
  }
}
