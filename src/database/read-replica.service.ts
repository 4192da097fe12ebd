import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { isTimeLimit } from '../core/postgres-errors.js';
import { SharedTrust } from './connections.js';
import { Database, type Statement } from './database.js';
import { ReplicaLag } from './replica-lag.js';

const COMPARE_EVERY_MS = 1_000;
/** At first the service compares more often, because a command may wait for the result, for `FIRST_WAIT_MS` at most. */
const FIRST_COMPARE_EVERY_MS = 50;
const FIRST_WAIT_MS = 5_000;
const CONNECTIONS = 8;
/**
 * For this time after a timeout, no read goes to the replica: it is busy, or its memory is still cold. After this time, the
 * primary still serves all reads, and the service repeats one of them at the replica as a trial. If the trial ends in time, the
 * replica serves reads again. Until then, the replica is on probation.
 */
const REST_MS = 10_000;

/** A standby has the databases and the system identifier of its primary. Any role may read this identifier. */
const DATABASE = `(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()`;

const WRITTEN: Statement = {
  name: 'replica.written',
  text: `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS at, ${DATABASE} AS database`,
};

/** `at` is null on a server that is no standby: the primary itself, or a promoted standby. */
const REPLAYED: Statement = {
  name: 'replica.replayed',
  text: `SELECT CASE WHEN pg_is_in_recovery() THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END AS at,
                ${DATABASE} AS database`,
};

interface Position<At> {
  at: At;
  database: string;
}

/**
 * The standby of DATABASE_READ_URL. Once a second this service compares the standby with the primary. Reads may use the
 * standby only while it has all that the primary had DATABASE_READ_MAX_LAG_MS ago.
 */
@Injectable()
export class ReadReplicaService implements OnApplicationShutdown {
  /** Null without a replica. */
  readonly database: Database | null;
  private readonly lag = new ReplicaLag();
  private readonly stop = new AbortController();
  private readonly maxLagMs: number;
  private watching: Promise<void> | undefined;
  private watchedSinceMs = Infinity;
  /** Whether the last comparison with the primary succeeded, and no read has failed since. */
  private isCurrent = false;
  /** Until when no read goes to the replica after a timeout, in monotonic milliseconds. */
  private restsUntilMs = 0;
  private isOnProbation = false;
  private isTrialRunning = false;
  /** Why the replica is not used, as last logged; empty while it is used. */
  private why = '';

  constructor(
    private readonly primary: Database,
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: Metrics,
    @InjectDataSource() dataSource: DataSource,
  ) {
    const { DATABASE_READ_URL: url, DATABASE_READ_MAX_LAG_MS: maxLagMs } = config;
    this.maxLagMs = maxLagMs;
    const own = { ...config, DATABASE_URL: url, DATABASE_POOL_SIZE: CONNECTIONS };
    // The gauge of connections counts the primary's pool. Errors here must not distrust the primary's connections.
    const measures = { watchPool: () => undefined, invariantBroken: () => metrics.invariantBroken() };
    this.database = url === '' ? null : new Database(own, logger, measures, new SharedTrust(), dataSource);
  }

  /** Whether reads may go to the replica, by the latest comparison. */
  get isUsable(): boolean {
    return this.keepsUp && !this.isOnProbation;
  }

  /**
   * Returns whether the caller may now begin a trial: only on probation, and one trial at a time. The caller must end it with
   * {@link passed} or {@link failed}.
   */
  takeTrial(): boolean {
    if (!this.isOnProbation || this.isTrialRunning || !this.keepsUp) return false;
    this.isTrialRunning = true;
    return true;
  }

  /** Ends trial and probation, because the replica answered in time. */
  passed(): void {
    this.isTrialRunning = false;
    this.isOnProbation = false;
    this.logWhetherItKeepsUp();
  }

  /** Starts to measure the lag, if there is a replica. */
  watch(): void {
    if (!this.database || this.watching) return;
    this.watchedSinceMs = performance.now();
    this.watching = this.keepComparing(this.database);
  }

  /**
   * As {@link isUsable}, once the lag is known. A process that has just started, such as a command, waits until the replica
   * has all that the primary had at the start: at most `FIRST_WAIT_MS`, and no longer than the allowed lag.
   */
  async becomesUsable(): Promise<boolean> {
    this.watch();
    while (this.database && this.isBeginning) await delay(FIRST_COMPARE_EVERY_MS);
    return this.isUsable;
  }

  /**
   * The replica failed a read. The primary serves reads until a later comparison succeeds. After a timeout, it serves them for
   * `REST_MS` at least, and then until a trial passes.
   */
  failed(error: unknown): void {
    this.isCurrent = false;
    this.isTrialRunning = false;
    if (isTimeLimit(error)) {
      this.restsUntilMs = performance.now() + REST_MS;
      this.isOnProbation = true;
    }
    this.logChange((error as Error).message);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.watching;
    await this.database?.onApplicationShutdown();
  }

  private get keepsUp(): boolean {
    if (!this.database) return false;
    this.watch();
    return this.isCurrent && this.lag.ms() <= this.maxLagMs;
  }

  private get isInFirstWait(): boolean {
    return performance.now() - this.watchedSinceMs < Math.min(FIRST_WAIT_MS, this.maxLagMs);
  }

  /** Whether the first comparison may still succeed in time. */
  private get isBeginning(): boolean {
    return this.isInFirstWait && !this.lag.isKnown && this.why === '';
  }

  private async keepComparing(replica: Database): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.compare(replica).catch((error: unknown) => this.failed(error));
      this.metrics.replicaMeasured(this.lag.ms() / 1_000, this.isUsable);
      await delay(this.isBeginning ? FIRST_COMPARE_EVERY_MS : COMPARE_EVERY_MS, undefined, {
        signal,
        ref: false,
      }).catch(() => undefined);
    }
  }

  private async compare(replica: Database): Promise<void> {
    if (!this.primary.isOpen) return;
    replica.open();
    const nowMs = performance.now();
    const [written] = await this.primary.query<Position<bigint>>(WRITTEN);
    if (written) this.lag.primaryWas(written.at, nowMs);
    const [replayed] = await replica.query<Position<bigint | null>>(REPLAYED);
    const at = replayed?.at ?? null;
    if (at === null)
      throw new Error('the server of DATABASE_READ_URL is no standby: name a standby of the server in DATABASE_URL');
    if (replayed?.database !== written?.database)
      throw new Error('DATABASE_READ_URL leads to another database: name a standby of the one in DATABASE_URL');
    this.lag.replicaIs(at);
    if (performance.now() < this.restsUntilMs) return;
    this.isCurrent = true;
    if (!this.isOnProbation) this.logWhetherItKeepsUp();
  }

  private logWhetherItKeepsUp(): void {
    if (this.lag.ms() <= this.maxLagMs) this.logChange('');
    else if (this.lag.isKnown || !this.isInFirstWait) this.logChange('it is too far behind');
  }

  /** Logs each change once. @param why the replica is not used; empty when it is. */
  private logChange(why: string): void {
    if (why === this.why) return;
    this.why = why;
    if (this.stop.signal.aborted) return;
    if (why === '') this.logger.info('the replica serves lists and reports again');
    else this.logger.warn({ reason: why }, 'the replica is not used: the primary serves lists and reports too');
  }
}
