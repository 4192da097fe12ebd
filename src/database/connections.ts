import pg from 'pg';
import type { Config } from '../core/config.js';
import { isConnectionLost, isPlanOutdated } from '../core/postgres-errors.js';

/** For every connection: while it is idle, this process notices within 15 s that the server is gone. */
const KEPT_ALIVE: pg.PoolConfig = {
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
};

/** For PostgreSQL's side, so that a machine that vanished keeps no connection and no lock for more than 15 s. */
export const SERVER_KEEPS_ALIVE = [
  'tcp_keepalives_idle=5',
  'tcp_keepalives_interval=3',
  'tcp_keepalives_count=3',
  'tcp_user_timeout=15000',
];

/** The time limits of statements, locks and idle transactions are shorter than the 10 s that clients wait. */
const LIMITED: pg.PoolConfig = {
  ...KEPT_ALIVE,
  idleTimeoutMillis: 60_000,
  // After a failover, processes return to the preferred server by themselves.
  maxLifetimeSeconds: 600,
  // A process that stalls in the middle of a transaction must not keep its locks from other processes.
  idle_in_transaction_session_timeout: 4_000,
  lock_timeout: 3_000,
  statement_timeout: 6_000,
  // This process gives up by itself if the server does not even report the statement timeout.
  query_timeout: 8_000,
  // Sends statements without waiting for earlier results. In this mode, a query that times out also ends its connection.
  pipeline: true,
};

/** Settings of a session, as `name=value`, in the form of the connection's option `options`. */
export function asOptions(settings: readonly string[]): string {
  return settings.map((setting) => `-c ${setting}`).join(' ');
}

/** A migration may run for any time, but it waits only briefly for a lock, because other transactions queue behind it. */
export const FOR_MIGRATIONS: pg.PoolConfig = {
  ...KEPT_ALIVE,
  connectionTimeoutMillis: 10_000,
  max: 1,
  lock_timeout: 3_000,
  // Overrides a limit that the database role may have.
  options: asOptions(['statement_timeout=0', ...SERVER_KEEPS_ALIVE]),
  application_name: 'topup-migrations',
};

/**
 * The options of a pool for requests.
 * @param own options of this pool, which override the common ones. @param settings settings of the sessions, as `name=value`.
 */
export function limited(config: Config, own: pg.PoolConfig, settings: string[] = []): pg.PoolConfig {
  const options = asOptions([...SERVER_KEEPS_ALIVE, ...settings]);
  return { ...LIMITED, connectionTimeoutMillis: config.connectTimeoutMs, options, ...own };
}

/**
 * The pools of a process share this, except that of a read replica. When a connection is lost, times out or turns out to be read-only, its server may be gone.
 * All connections that were opened before may lead to the same server, so the pools never use them again.
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

  /** Reports a failed connection. If the connection was already distrusted, nothing changes. */
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

/** A pool that closes distrusted connections instead of handing them out. */
export class TrustedPool extends pg.Pool {
  private readonly trust: SharedTrust;

  constructor(config: pg.PoolConfig & { trust: SharedTrust }) {
    const { trust, ...options } = config;
    super(options);
    this.trust = trust;
    this.on('connect', (client) => {
      trust.opened(client);
      // A connection that breaks in use fails its query. Without a listener, the same error would also end the process.
      client.on('error', () => undefined);
    });
    this.on('release', (error: unknown, client) => {
      // A query that timed out ends its connection, but TypeORM releases it without an error.
      if (isConnectionLost(error) || isPlanOutdated(error) || client.connection.stream.destroyed) trust.lose(client);
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
      // A server that is gone never answers the message that ends the session.
      client.connection.stream.destroy();
      this.connectTrusted(connected);
    });
  }
}

/** TypeORM's pool for requests: few connections, with the limits of {@link limited}. */
export function typeOrmPool(config: Config, trust: SharedTrust): { driver: object; extra: pg.PoolConfig } {
  return {
    // TypeORM uses only these two members of a driver.
    driver: { Pool: TrustedPool, defaults: pg.defaults },
    extra: { ...limited(config, { max: 4, application_name: 'topup-orm' }), trust } as pg.PoolConfig,
  };
}
