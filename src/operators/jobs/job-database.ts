import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { SharedTrust } from '../../database/connections.js';
import { Database, type Statement, type Transaction } from '../../database/database.js';

/** One that works, and one that holds the lock of what is done. */
const CONNECTIONS = 2;

/**
 * What jobs use instead of the pool of the pages: a report that takes minutes keeps none of its connections. PostgreSQL
 * shows their transactions under a name of their own, by which they can be ended, also behind a pooler, which tells
 * nobody which of the server's processes carries out what.
 */
@Injectable()
export class JobDatabase extends Database {
  /** What PostgreSQL calls the application while it is at something of ours. */
  readonly applicationName = `topup-job-${randomBytes(8).toString('hex')}`;
  /** It needs no snapshot: the transaction may still choose its own. */
  private readonly mark: Statement = {
    name: 'jobs.mark',
    text: `SET LOCAL application_name = '${this.applicationName}'`,
  };

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(LOGGER) logger: Logger,
    metrics: Metrics,
    trust: SharedTrust,
    @InjectDataSource() dataSource: DataSource,
  ) {
    // The gauge of connections is that of the other pool.
    const own = { watchPool: () => undefined, invariantBroken: () => metrics.invariantBroken() };
    super({ ...config, DATABASE_POOL_SIZE: CONNECTIONS }, logger, own, trust, dataSource);
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>, maxAttempts?: number): Promise<Result> {
    return super.transaction((tx) => {
      tx.write(this.mark);
      return work(tx);
    }, maxAttempts);
  }

  override query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.transaction((tx) => tx.query<Row>(statement, values));
  }
}
