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

/** One connection for the work, and one that holds the lock of the job's kind. */
const CONNECTIONS = 2;

/**
 * A pool for jobs, so that a report of several minutes takes no connection from the pages. Its transactions have their
 * own application name, by which another connection finds and cancels their statements. This also works behind a
 * pooler, where the server's process is unknown.
 */
@Injectable()
export class JobDatabase extends Database {
  /** The application name of all transactions of this pool. */
  readonly applicationName = `topup-job-${randomBytes(8).toString('hex')}`;
  /** This statement takes no snapshot, so that the transaction can still choose its isolation level. */
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
    // The gauge of connections belongs to the main pool.
    const own = { watchPool: () => undefined, invariantBroken: () => metrics.invariantBroken() };
    super({ ...config, DATABASE_POOL_SIZE: CONNECTIONS }, logger, own, trust, dataSource);
  }

  override transaction<Result>(work: (tx: Transaction) => Promise<Result>, maxTries?: number): Promise<Result> {
    return super.transaction((tx) => {
      tx.write(this.mark);
      return work(tx);
    }, maxTries);
  }

  override query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.transaction((tx) => tx.query<Row>(statement, values));
  }
}
