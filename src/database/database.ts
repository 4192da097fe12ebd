import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { databaseUnavailable } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { isConnectionLost, isRetryable } from '../core/postgres-errors.js';

/** SQL with a name, under which each connection prepares it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** How often a transaction is tried that PostgreSQL ended for another's sake. */
const MAX_ATTEMPTS = 3;

/** Something that runs statements: the pool, or one open transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

const TYPES: pg.CustomTypesConfig = {
  // Money and row ids are 64-bit integers: never a lossy number, never a string.
  getTypeParser: (id, format) =>
    (id === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(id, format)) as never,
};

/**
 * The pool for hot paths: named statements, bigint for 64-bit integers, Date for timestamps.
 * Every call throws `SERVICE_UNAVAILABLE` while PostgreSQL is away or its schema is not migrated yet.
 */
@Injectable()
export class Database implements Queryable, OnApplicationShutdown {
  readonly pool: pg.Pool;
  private migrated = false;

  constructor(@Inject(CONFIG) config: Config, @Inject(LOGGER) logger: Logger) {
    this.pool = new pg.Pool({
      connectionString: config.DATABASE_URL,
      max: config.DATABASE_POOL_SIZE,
      connectionTimeoutMillis: 3_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // A process that stops in the middle of a transaction must not keep its locks from all the others.
      idle_in_transaction_session_timeout: 4_000,
      lock_timeout: 3_000,
      statement_timeout: 10_000,
      // For a server that does not even say so.
      query_timeout: 12_000,
      application_name: 'topup',
      types: TYPES,
    });
    // One that breaks in use fails its query; without a listener the same error would also end the process.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    // A connection that breaks while idle is replaced at the next query.
    this.pool.on('error', (error) =>
      logger.warn({ reason: error.message }, 'an idle database connection was lost'),
    );
  }

  /** Called once the schema is there; until then every call says that the service is not available. */
  open(): void {
    this.migrated = true;
  }

  get isOpen(): boolean {
    return this.migrated;
  }

  async query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    this.assertOpen();
    try {
      return (await this.pool.query<Row>({ ...statement, values })).rows;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /**
   * Runs `work` in one READ COMMITTED transaction: committed when it returns, rolled back when it throws.
   * Nothing that waits for a network other than PostgreSQL's may happen inside, nor anything that can't be done again:
   * after a deadlock the whole of it is.
   */
  async transaction<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    this.assertOpen();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(work);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result> {
    const client = await this.pool.connect().catch((error: unknown) => {
      throw asUnavailable(error);
    });
    let broken: Error | undefined;
    const tx: Queryable = {
      query: async <Row extends object>(statement: Statement, values: unknown[] = []) =>
        (await client.query<Row>({ ...statement, values })).rows,
    };
    try {
      await client.query('BEGIN');
      const result = await work(tx);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      if (isConnectionLost(error)) broken = error as Error;
      else await client.query('ROLLBACK').catch((rollbackError: Error) => (broken = rollbackError));
      throw asUnavailable(error);
    } finally {
      client.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }

  private assertOpen(): void {
    if (!this.migrated) throw databaseUnavailable();
  }
}

function asUnavailable(error: unknown): unknown {
  return isConnectionLost(error) ? Object.assign(databaseUnavailable(), { cause: error }) : error;
}
