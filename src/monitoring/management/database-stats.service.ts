import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { withDeadline } from '../../core/durations.js';
import { AppError } from '../../core/errors.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { DatabaseStatsRepository, type MetricsStatement } from '../stats/database-stats.repository.js';

/** A scrape waits at most this long. The reading continues after that. */
const MAX_WAIT_MS = 4_000;

/**
 * Reads metrics of the whole service from PostgreSQL. If a statement fails or takes too long, or a scrape stops waiting for it, its
 * metrics keep their values for a short time, so that alerts with `for` do not begin again. After that they are missing, because
 * a missing metric is better than one with an old value. If PostgreSQL does not answer, all are missing at once.
 */
@Injectable()
export class DatabaseStatsService {
  /** Scrapes share a reading until this long after its end. */
  freshForMs = 5_000;
  /** How long after its last reading a metric keeps its value. */
  keptForMs = 120_000;
  private gatheredAtMs = -Infinity;
  private gathering: Promise<void> | undefined;
  /** The statements that are still to be read. */
  private unread = new Set<MetricsStatement>();
  private answeredAtMs = -Infinity;
  /** When each statement was last read, in monotonic milliseconds. Before that, when the process began. */
  private readonly readAtMs = new Map<MetricsStatement, number>();
  private readonly startedAtMs = performance.now();
  /** Names of the statements that failed last time. The log gets a line only when a statement begins to fail, or recovers. */
  private readonly failing = new Set<string>();

  constructor(
    private readonly repository: DatabaseStatsRepository,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Reads the metrics unless they are fresh. Never rejects, and returns within 4 seconds. */
  async refresh(): Promise<void> {
    const beganAtMs = performance.now();
    if (beganAtMs - this.gatheredAtMs < this.freshForMs) return;
    this.gathering ??= this.gather().finally(() => {
      this.gathering = undefined;
      this.gatheredAtMs = performance.now();
    });
    await withDeadline(this.gathering, MAX_WAIT_MS).catch(() => this.leaveOutUnread(beganAtMs));
    for (const statement of this.repository.statements)
      this.metrics.databaseMetricsAge.set({ statement: statement.label }, this.ageMs(statement) / 1000);
  }

  private async gather(): Promise<void> {
    this.unread = new Set(this.repository.statements);
    for (const statement of this.repository.statements) {
      try {
        await this.read(statement);
      } catch (error) {
        if (error instanceof AppError) return this.declareDatabaseDown();
        this.report(statement, error as Error);
      }
      this.unread.delete(statement);
      this.answeredAtMs = performance.now();
      this.metrics.databaseUp.set(1);
    }
  }

  private async read(statement: MetricsStatement): Promise<void> {
    const rows = await this.repository.read(statement);
    for (const name of statement.metrics) this.metrics.databaseGauges[name].show(rows);
    this.readAtMs.set(statement, performance.now());
    if (this.failing.delete(statement.name))
      this.logger.info({ figures: statement.metrics }, 'database metrics recovered');
  }

  private report(statement: MetricsStatement, { message: reason }: Error): void {
    const { name, metrics } = statement;
    this.clearIfOld(statement);
    if (!this.failing.has(name))
      this.logger.warn(
        { figures: metrics, reason },
        'database metrics could not be read: they are left out after two minutes',
      );
    this.failing.add(name);
  }

  /**
   * A slow PostgreSQL is not down: it cancels each statement at its timeout, and that counts as an answer. It is down if it has
   * answered nothing since `sinceMs`.
   */
  private leaveOutUnread(sinceMs: number): void {
    if (this.answeredAtMs < sinceMs) return this.declareDatabaseDown();
    for (const statement of this.unread) this.clearIfOld(statement);
  }

  private declareDatabaseDown(): void {
    this.metrics.databaseUp.set(0);
    for (const gauge of Object.values(this.metrics.databaseGauges)) gauge.clear();
  }

  private clearIfOld(statement: MetricsStatement): void {
    if (this.ageMs(statement) < this.keptForMs) return;
    for (const metric of statement.metrics) this.metrics.databaseGauges[metric].clear();
  }

  private ageMs(statement: MetricsStatement): number {
    return performance.now() - (this.readAtMs.get(statement) ?? this.startedAtMs);
  }
}
