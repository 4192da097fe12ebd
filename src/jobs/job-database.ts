import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { SharedTrust } from '../database/connections.js';
import { Database } from '../database/database.js';

/** One that works, and one that holds the lock of what is done. */
const CONNECTIONS = 2;

/** What jobs use instead of the pool of the pages: a report that takes minutes keeps none of its connections. */
@Injectable()
export class JobDatabase extends Database {
  private readonly inUse = new Set<PoolClient>();

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
    this.pool.on('acquire', (client) => this.inUse.add(client));
    this.pool.on('release', (_error, client) => this.inUse.delete(client));
  }

  /** The server's processes of the connections that are in use. */
  get pidsInUse(): number[] {
    return [...this.inUse].map((client) => (client as PoolClient & { processID: number }).processID);
  }
}
