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

const LOOK_EVERY_MS = 1_000;
/** At first it is compared more often: somebody may wait for what comes of it, for so long at most. */
const FIRST_LOOKS_MS = 50;
const FIRST_WAIT_MS = 5_000;
const CONNECTIONS = 8;
/**
 * After a read that took too long there it has a rest: it is busy, or has yet to read into memory what is asked for. Then nobody
 * waits for it before it has answered a read in time that the primary was asked, too.
 */
const REST_MS = 10_000;

/** A standby is a copy of its primary with all databases in it, and has its identifier. Any role may ask for that. */
const DATABASE = `(SELECT system_identifier FROM pg_control_system()) || '/' || current_database()`;

const WRITTEN: Statement = {
  name: 'replica.written',
  text: `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint AS at, ${DATABASE} AS database`,
};

/** Null on a server that is no standby: the primary itself, or one that was promoted and goes its own way. */
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
 * The standby of DATABASE_READ_URL, and how far it is behind: once a second it is compared with the primary. It is used
 * only while it has all that the primary had DATABASE_READ_MAX_LAG_MS ago.
 */
@Injectable()
export class ReadReplicaService implements OnApplicationShutdown {
  /** Null where there is none. */
  readonly database: Database | null;
  private readonly lag = new ReplicaLag();
  private readonly stop = new AbortController();
  private readonly maxLagMs: number;
  private watching: Promise<void> | undefined;
  private watchedSinceMs = Infinity;
  private isCurrent = false;
  private restsUntilMs = 0;
  private isOnProbation = false;
  private isTried = false;
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
    // The gauge of connections is that of the other pool. What happens here says nothing of the primary's connections.
    const measures = { watchPool: () => undefined, invariantBroken: () => metrics.invariantBroken() };
    this.database = url === '' ? null : new Database(own, logger, measures, new SharedTrust(), dataSource);
  }

  /** Whether it may be asked, as far as is known. */
  get isUsable(): boolean {
    return this.keepsUp && !this.isOnProbation;
  }

  /** Whether a read is to be tried there now that nobody waits for: one at a time. {@link passed} or {@link failed} ends it. */
  takeTrial(): boolean {
    if (!this.isOnProbation || this.isTried || !this.keepsUp) return false;
    this.isTried = true;
    return true;
  }

  /** It has answered what was tried. */
  passed(): void {
    this.isTried = false;
    this.isOnProbation = false;
    this.sayWhetherItKeepsUp();
  }

  /** Begins to look how far it is behind, if there is one. */
  watch(): void {
    if (!this.database || this.watching) return;
    this.watchedSinceMs = performance.now();
    this.watching = this.keepLooking(this.database);
  }

  /**
   * The same once that is known. A process that has just begun, such as a command, waits until the replica has all that
   * there was when it began, for some seconds at most.
   */
  async becomesUsable(): Promise<boolean> {
    this.watch();
    while (this.database && this.isBeginning) await delay(FIRST_LOOKS_MS);
    return this.isUsable;
  }

  /** It failed to answer: until it is found well again, the primary is asked; for some seconds where it took too long. */
  failed(error: unknown): void {
    this.isCurrent = false;
    this.isTried = false;
    if (isTimeLimit(error)) {
      this.restsUntilMs = performance.now() + REST_MS;
      this.isOnProbation = true;
    }
    this.say((error as Error).message);
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

  private get isFirstLook(): boolean {
    return performance.now() - this.watchedSinceMs < Math.min(FIRST_WAIT_MS, this.maxLagMs);
  }

  /** Whether it may still become known soon how it does. */
  private get isBeginning(): boolean {
    return this.isFirstLook && !this.lag.isKnown && this.why === '';
  }

  private async keepLooking(replica: Database): Promise<void> {
    const { signal } = this.stop;
    while (!signal.aborted) {
      await this.look(replica).catch((error: unknown) => this.failed(error));
      this.metrics.readReplica(this.lag.ms() / 1_000, this.isUsable);
      await delay(this.isBeginning ? FIRST_LOOKS_MS : LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  private async look(replica: Database): Promise<void> {
    if (!this.primary.isOpen) return;
    replica.open();
    const nowMs = performance.now();
    const [written] = await this.primary.query<Position<bigint>>(WRITTEN);
    if (written) this.lag.primaryWas(written.at, nowMs);
    const [replayed] = await replica.query<Position<bigint | null>>(REPLAYED);
    const at = replayed?.at ?? null;
    if (at === null) throw new Error('the server of DATABASE_READ_URL is no standby');
    if (replayed?.database !== written?.database)
      throw new Error('DATABASE_READ_URL leads to another database: name a standby of the one in DATABASE_URL');
    this.lag.replicaIs(at);
    if (performance.now() < this.restsUntilMs) return;
    this.isCurrent = true;
    if (!this.isOnProbation) this.sayWhetherItKeepsUp();
  }

  private sayWhetherItKeepsUp(): void {
    if (this.lag.ms() <= this.maxLagMs) this.say('');
    else if (this.lag.isKnown || !this.isFirstLook) this.say('it is too far behind');
  }

  /** Says once what became of it. @param why it is not asked; empty when it is. */
  private say(why: string): void {
    if (why === this.why) return;
    this.why = why;
    if (this.stop.signal.aborted) return;
    if (why === '') this.logger.info('the replica is asked for lists and reports again');
    else this.logger.warn({ reason: why }, 'the replica is not asked: the primary is, for lists and reports too');
  }
}
