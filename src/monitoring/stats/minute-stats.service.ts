import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { HOUR_MS, withDeadline } from '../../core/durations.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { WorkerTask, type OnTasksStopped } from '../../core/worker-task.js';
import { removeInBatches } from '../../database/remove-in-batches.js';
import { readCounted, since, type Counted } from './counted.js';
import { StatsService } from './stats.service.js';
import { MinuteStatsRepository } from './minute-stats.repository.js';

/** A stopping process waits no longer than this, twice, to write its last counts. */
const LAST_WITHIN_MS = 3_000;
const RETENTION_DAYS = 90;

/** Stores stats by the minute: counts of the processes, and levels of open work. */
@Injectable()
export class MinuteStatsService implements OnTasksStopped, OnApplicationShutdown {
  private lastCounts: Counted[] = [];
  /** The last run; undefined in a process that does not run the task, such as the console. */
  private adding: Promise<void> | undefined;

  constructor(
    private readonly stats: StatsService,
    private readonly minutes: MinuteStatsRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stores the counts that this process added since the last run, in one statement. Counting costs orders no time,
   * because the counts come from the process's metrics. After a failure, the next run stores these counts as well. They
   * count twice if PostgreSQL had committed the failed statement.
   */
  @WorkerTask('minute_figures', {
    every: 10_000,
    inEveryProcess: true,
    failed: 'stats could not be written: the next run adds them',
    once: true,
  })
  add(): Promise<void> {
    // One after the other: two runs at once would store the same counts.
    this.adding = (this.adding ?? Promise.resolve()).catch(() => undefined).then(() => this.addNew());
    return this.adding;
  }

  /** Writes the counts since the last run, in case the process is cut off before its work has ended. */
  async onTasksStopped(): Promise<void> {
    await this.addLast();
  }

  /** Writes the counts of the work that has ended since: calls of a worker, requests to an API. */
  async onApplicationShutdown(): Promise<void> {
    if (this.adding) await this.addLast();
  }

  private async addLast(): Promise<void> {
    await withDeadline(this.add(), LAST_WITHIN_MS).catch(() => undefined);
  }

  private async addNew(): Promise<void> {
    const counted = await readCounted(this.metrics.registry);
    const rows = since(this.lastCounts, counted);
    if (rows.length > 0) await this.minutes.add(rows);
    this.lastCounts = counted;
  }

  /** The first worker that runs this task in a minute stores the levels. In a minute without levels, charts have a gap. */
  @WorkerTask('figure_levels', {
    every: 20_000,
    failed: 'the levels of this minute could not be written',
    level: 'debug',
  })
  async keepLevels(): Promise<void> {
    if (await this.minutes.hasLevels()) return;
    const levels = [...(await this.stats.readLevels())].map(([name, value]) => [name, BigInt(value)] as const);
    await this.minutes.keepLevels(new Map(levels));
  }

  @WorkerTask('old_figures', {
    every: HOUR_MS,
    failed: 'old stats could not be removed: retrying in an hour',
  })
  async removeOld(stop: AbortSignal): Promise<void> {
    const rows = await removeInBatches((limit) => this.minutes.removeOld(RETENTION_DAYS, limit), stop);
    if (rows > 0) this.logger.info({ rows }, 'old stats were removed');
  }
}
