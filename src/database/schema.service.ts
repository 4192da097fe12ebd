import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import { AbstractLogger, DataSource } from 'typeorm';
import { dataSourceOptions } from '../../ormconfig.js';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { certificateProblem, isConnectionLost, isLockTimeout, isTableMissing } from '../core/postgres-errors.js';
import { Database } from './database.js';
import { adoptEarlierMigrations, EARLIER_MIGRATIONS } from './earlier-migrations.js';

const AWAY_RETRY_MS = 250;
const REFUSED_RETRY_MS = 5_000;
/** An advisory lock: any number, but the same in every process. */
export const MIGRATION_LOCK = 7_038_167_014;

/**
 * Brings the schema up to date once per process, as soon as PostgreSQL answers. The process starts and stays up without
 * PostgreSQL. An advisory lock lets one process migrate at a time.
 */
@Injectable()
export class SchemaService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly stop = new AbortController();
  private opening: Promise<boolean> = Promise.resolve(false);
  /**
   * While {@link whenReady} is pending: whether this process changes the schema, waits for another process that does,
   * or will retry a migration that waited too long for a lock.
   */
  isBeingChanged = false;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.opening = this.openWhenPossible();
  }

  /** Resolves with true when the schema is up to date, with false when the process stops before that. */
  whenReady(): Promise<boolean> {
    return this.opening;
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.opening;
  }

  private async openWhenPossible(): Promise<boolean> {
    let reported = '';
    while (!this.stop.signal.aborted) {
      try {
        await this.migrate();
        this.database.open();
        return true;
      } catch (error) {
        if (this.stop.signal.aborted) return false;
        // A migration that waits for a lock is tried again.
        this.isBeingChanged = isLockTimeout(error);
        const message = certificateProblem(error) ?? (error as Error).message;
        const away = isConnectionLost(error);
        if (message !== reported && certificateProblem(error))
          this.logger.error({ reason: message }, 'the certificate of PostgreSQL is refused: not connecting');
        else if (message !== reported && away) this.logger.warn({ reason: message }, 'waiting for PostgreSQL');
        // Migrations wait only briefly for a lock, so that no request waits behind them for long.
        else if (message !== reported && isLockTimeout(error))
          this.logger.warn({ reason: message }, 'a migration waits for a lock: trying again');
        else if (message !== reported) this.logger.error({ reason: message }, 'the schema could not be migrated');
        reported = message;
        await delay(away ? AWAY_RETRY_MS : REFUSED_RETRY_MS, undefined, { signal: this.stop.signal }).catch(() => {});
      }
    }
    return false;
  }

  private async migrate(): Promise<void> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    if (await this.isUpToDate()) return;
    const client = await this.database.pool.connect();
    try {
      this.isBeingChanged = true;
      await lock(client, this.stop.signal);
      if (await this.dataSource.showMigrations()) await this.runMigrations();
    } finally {
      // Closing the connection ends the transaction, and so releases the lock, in every state of the connection.
      client.release(true);
    }
  }

  /** Whether the schema has all migrations, as at nearly every start. Then the process does not wait for the lock. */
  private async isUpToDate(): Promise<boolean> {
    const { rows } = await this.database.pool
      .query<{ name: string }>('SELECT name FROM schema_migrations')
      .catch((error: unknown) => {
        if (isTableMissing(error)) return { rows: [] };
        throw error;
      });
    const applied = new Set(rows.map(({ name }) => name));
    return this.dataSource.migrations.every(({ name, constructor }) => applied.has(name ?? constructor.name));
  }

  /** Uses connections of its own, because those of requests have timeouts. */
  private async runMigrations(): Promise<void> {
    const options = { ...dataSourceOptions(this.config.DATABASE_URL), logger: new SilentLogger() };
    const migrating = await new DataSource(options).initialize();
    try {
      if (await adoptEarlierMigrations(migrating))
        this.logger.info(
          { migrations: EARLIER_MIGRATIONS.length },
          'replaced the earlier migrations: the schema stays',
        );
      const applied = await migrating.runMigrations();
      for (const { name } of applied) this.logger.info({ migration: name }, 'migrated');
    } finally {
      await migrating.destroy();
    }
  }
}

/** TypeORM would print a failed migration on standard output, where a command writes JSON. SchemaService logs the error. */
export class SilentLogger extends AbstractLogger {
  protected override writeLog(): void {}
}

/**
 * Polls for the lock, because a statement that waits for it would run into its timeout. The lock belongs to the
 * transaction: behind a pooler, the lock of a session could go to other clients. A migration that builds an index
 * concurrently waits for each transaction with a snapshot. So each poll has its own transaction. The statements have no
 * parameters, because a statement with parameters leaves its snapshot in the open transaction.
 */
async function lock(client: PoolClient, stop: AbortSignal): Promise<void> {
  for (;;) {
    await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await client.query<{ locked: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`,
    );
    if (rows[0]?.locked) return;
    await client.query('ROLLBACK');
    await delay(AWAY_RETRY_MS, undefined, { signal: stop });
  }
}
