import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import pg from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { databaseUnavailable } from '../core/errors.js';
import { BrokenInvariant } from '../core/invariant.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { isConnectionLost, isPlanOutdated, isRetryable } from '../core/postgres-errors.js';
import { limited, SharedTrust, TrustedPool } from './connections.js';
import {
  managerOn,
  OpenTransaction,
  prepared,
  unprepared,
  type Queryable,
  type Statement,
  type ToQuery,
  type Transaction,
} from './transaction.js';

export { handledLater, type BoundStatement, type Queryable, type Statement, type Transaction } from './transaction.js';

/** Limits how long each statement of the transaction waits for each of its locks. $1 milliseconds, as text. */
export const LIMIT_LOCK_WAIT: Statement = {
  name: 'transaction.limit_lock_wait',
  text: `SELECT set_config('lock_timeout', $1, true)`,
};

/**
 * Like {@link LIMIT_LOCK_WAIT}. Also, each statement of the transaction keeps one plan for all values. For statements that
 * find rows only by keys: otherwise PostgreSQL plans each small batch again, which takes longer than to execute it.
 */
export const LIMIT_LOCK_WAIT_AND_KEEP_PLANS: Statement = {
  name: 'transaction.limit_lock_wait_and_keep_plans',
  text: `SELECT set_config('lock_timeout', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)`,
};

/** How many times to try a transaction that PostgreSQL ends because of another transaction, such as in a deadlock. */
const MAX_TRIES = 3;

/**
 * Hot paths read a few rows by index, even from a large table. While a table is small, or its statistics are old, PostgreSQL
 * would read the whole table for each batch, which took a third of PostgreSQL's time (`npm run bench -- intake`). Reports read
 * whole tables, so `snapshot.ts` turns the first three kinds of plans below on again for their transactions.
 */
const BY_INDEX = [
  ...['hashjoin', 'mergejoin', 'seqscan'].map((node) => `enable_${node}=off`),
  // To compile a statement, or to share it between processes, takes longer than to run it.
  'jit=off',
  'max_parallel_workers_per_gather=0',
];

const TYPES: pg.CustomTypesConfig = {
  // Money and many row ids are 64-bit integers: bigint, never a lossy number or a string.
  getTypeParser: (id, format) => (id === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(id, format)) as never,
};

/**
 * The pool for hot paths: named statements, bigint for 64-bit integers, Date for timestamps.
 * Its queries and transactions throw `SERVICE_UNAVAILABLE` while PostgreSQL cannot be reached or its schema is not migrated yet.
 */
@Injectable()
export class Database implements Queryable, OnApplicationShutdown {
  readonly pool: pg.Pool;
  private migrated = false;
  private ownManager: EntityManager | undefined;
  private readonly toQuery: ToQuery;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Metrics) private readonly metrics: Pick<Metrics, 'watchPool' | 'invariantBroken'>,
    private readonly trust: SharedTrust,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    this.toQuery = config.DATABASE_PREPARED_STATEMENTS ? prepared : unprepared;
    this.pool = new TrustedPool({
      ...limited(config, { max: config.DATABASE_POOL_SIZE, application_name: 'topup', types: TYPES }, BY_INDEX),
      statement_timeout: config.statementTimeoutMs,
      connectionString: config.DATABASE_URL,
      trust: this.trust,
    });
    // A connection that breaks while idle is replaced at the next query.
    this.pool.on('error', (error) => logger.warn({ reason: error.message }, 'an idle database connection was lost'));
    metrics.watchPool(() => ({
      total: this.pool.totalCount,
      idle: this.pool.idleCount,
      waiting: this.pool.waitingCount,
    }));
  }

  /** To be called once the schema is up to date. Until then, queries and transactions throw `SERVICE_UNAVAILABLE`. */
  open(): void {
    this.migrated = true;
  }

  /** Marks all open connections as lost. From now on, queries use only new connections. */
  reconnect(): void {
    this.trust.loseAll();
  }

  /** Checks whether PostgreSQL answers. Works even before the schema is migrated. */
  async ping(): Promise<void> {
    await this.pool.query('SELECT 1');
  }

  get isOpen(): boolean {
    return this.migrated;
  }

  async query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    this.assertOpen();
    const query = this.toQuery(statement, values);
    try {
      return await this.runQuery<Row>(query);
    } catch (error) {
      if (!isPlanOutdated(error)) throw error;
      // The statement was not executed, and the pool opens new connections from now on.
      return this.runQuery<Row>(query);
    }
  }

  private async runQuery<Row extends object>(query: pg.QueryConfig): Promise<Row[]> {
    try {
      return (await this.pool.query<Row>(query)).rows;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * TypeORM on this pool, each statement in a transaction of its own. Use the manager of a transaction for writes of
   * several statements.
   */
  get manager(): EntityManager {
    this.assertOpen();
    this.ownManager ??= managerOn(this.dataSource, (text, values) => this.pool.query({ text, values }));
    return this.ownManager;
  }

  /**
   * Runs `work` in one READ COMMITTED transaction: committed when it returns, rolled back when it throws.
   * `work` must wait for no network but PostgreSQL's, and must be repeatable: it runs again after a deadlock, a
   * serialization failure or a change of the schema.
   * @param maxTries how many times to run it at most.
   */
  async transaction<Result>(work: Work<Result>, maxTries = MAX_TRIES): Promise<Result> {
    this.assertOpen();
    for (let tries = 1; ; tries++) {
      try {
        return await this.runOnce(work);
      } catch (error) {
        if (tries >= maxTries || !isRetryable(error)) throw error;
      }
    }
  }

  /**
   * Runs statements, one after the other, in a READ COMMITTED transaction of one round trip.
   * @returns the rows of the last statement.
   */
  async batch<Row extends object>(...statements: [statement: Statement, values: unknown[]][]): Promise<Row[]> {
    const answers = await this.transaction((tx) =>
      // Each promise is wrapped in an object and not awaited, so that the COMMIT goes out before the results arrive.
      Promise.resolve(statements.map(([statement, values]) => ({ rows: tx.query<Row>(statement, values) }))),
    );
    return answers.at(-1)?.rows ?? [];
  }

  private async runOnce<Result>(work: Work<Result>): Promise<Result> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw asUnavailable(error);
    });
    let broken: Error | undefined;
    const tx = new OpenTransaction(client, this.toQuery, this.dataSource);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      if (error instanceof BrokenInvariant) this.reportBroken(error);
      if (isConnectionLost(error) || isPlanOutdated(error)) broken = error as Error;
      else await client.query('ROLLBACK').catch((rollbackError: Error) => (broken = rollbackError));
      throw asUnavailable(error);
    } finally {
      client.release(broken);
    }
  }

  private reportBroken(error: BrokenInvariant): void {
    this.metrics.invariantBroken();
    this.logger.error({ err: error }, 'a transaction was rolled back: the books or the code are broken');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private assertOpen(): void {
    if (!this.migrated) throw databaseUnavailable();
  }
}

type Work<Result> = (tx: Transaction) => Promise<Result> | Result;

function asUnavailable(error: unknown): unknown {
  return isConnectionLost(error) ? Object.assign(databaseUnavailable(), { cause: error }) : error;
}
