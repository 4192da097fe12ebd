import pg from 'pg';
import { isConnectionLost } from '../core/postgres-errors.js';

/** For every connection: either side notices within some 15 s that the other is gone. */
const KEPT_ALIVE: pg.PoolConfig = {
  connectionTimeoutMillis: 3_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
};

/** PostgreSQL's own side of it, so that a machine that vanished keeps no connection and no lock. */
const SERVER_KEEPS_ALIVE = [
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=3',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=15000',
];

/** Clients wait for 10 s: all of this ends before. */
const LIMITED: pg.PoolConfig = {
  ...KEPT_ALIVE,
  idleTimeoutMillis: 60_000,
  // After a failover, processes find back to the server of choice by themselves.
  maxLifetimeSeconds: 600,
  // A process that stops in the middle of a transaction must not keep its locks from all the others.
  idle_in_transaction_session_timeout: 4_000,
  lock_timeout: 3_000,
  statement_timeout: 6_000,
  // For a server that does not even say so.
  query_timeout: 8_000,
  // Statements are sent without waiting for the answers to those before; and a query that times out ends its connection.
  pipeline: true,
};

/** Migrations take as long as they take, but while they wait for a lock, nobody queues behind them for long. */
export const FOR_MIGRATIONS: pg.PoolConfig = {
  ...KEPT_ALIVE,
  max: 1,
  lock_timeout: 3_000,
  // Whatever the role's own limit is.
  options: '-c statement_timeout=0',
  application_name: 'topup-migrations',
};

/**
 * The options of a pool for requests, whichever pool it is.
 * @param own what it has of its own. @param settings of PostgreSQL for its sessions, as `name=value`.
 */
export function limited(own: pg.PoolConfig, settings: string[] = []): pg.PoolConfig {
  const options = [...SERVER_KEEPS_ALIVE, ...settings].map((setting) => `-c ${setting}`).join(' ');
  return { ...LIMITED, options, ...own };
}

/**
 * What the pools of a process know of the server behind their connections. A connection that is lost, times out or can
 * only read tells something of all that were opened before the news: none of them is used again.
 */
export class SharedTrust {
  private generation = 0;
  private readonly generations = new WeakMap<pg.PoolClient, number>();

  opened(client: pg.PoolClient): void {
    this.generations.set(client, this.generation);
  }

  has(client: pg.PoolClient): boolean {
    return this.generations.get(client) === this.generation;
  }

  /** The connection failed: it is news unless it was one of those that are not used again anyway. */
  lose(client: pg.PoolClient): void {
    if (this.has(client)) this.loseAll();
  }

  loseAll(): void {
    this.generation++;
  }
}

type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (broken?: unknown) => void,
) => void;

/** A pool that gives out no connection whose server is not trusted any more. */
export class TrustedPool extends pg.Pool {
  private readonly trust: SharedTrust;

  constructor(config: pg.PoolConfig & { trust: SharedTrust }) {
    const { trust, ...options } = config;
    super(options);
    this.trust = trust;
    this.on('connect', (client) => {
      trust.opened(client);
      // One that breaks in use fails its query; without a listener the same error would also end the process.
      client.on('error', () => undefined);
    });
    this.on('release', (error: unknown, client) => {
      // A query that timed out ends its connection, but TypeORM gives it back as if nothing had happened.
      if (isConnectionLost(error) || client.connection.stream.destroyed) trust.lose(client);
    });
    this.on('error', (_error, client) => trust.lose(client));
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | void {
    if (connected) return this.connectTrusted(connected);
    return new Promise((resolve, reject) =>
      this.connectTrusted((error, client) =>
        client ? resolve(client) : reject(error ?? new Error('there is no connection')),
      ),
    );
  }

  private connectTrusted(connected: Connected): void {
    super.connect((error, client, release) => {
      if (!client || this.trust.has(client)) return connected(error, client, release);
      release(true);
      // Its other end may never answer a farewell.
      client.connection.stream.destroy();
      this.connectTrusted(connected);
    });
  }
}

/** TypeORM's pool for requests: few connections, with the limits of the other pool. */
export function typeOrmPool(trust: SharedTrust): { driver: object; extra: pg.PoolConfig } {
  return {
    // What TypeORM needs of a driver.
    driver: { Pool: TrustedPool, defaults: pg.defaults },
    extra: { ...limited({ max: 4, application_name: 'topup-orm' }), trust } as pg.PoolConfig,
  };
}
