import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { databaseUnavailable } from '../core/errors.js';
import { Database, type Queryable, type Statement } from './database.js';
import { ReplicaReadsService } from './replica-reads.service.js';

/** How long a read may wait for a connection: as long as any request may wait for the pool (`CONNECT_TIMEOUT_MS`). */
const WAIT_MS = 3_000;

/** The share of the pool's connections that reads may use. The others are left for orders. */
const SHARE = 1 / 4;

/**
 * Runs merchants' reads, such as lists, on a bounded number of the pool's connections, in the order in which they arrive.
 * Many or slow reads never keep orders from a connection.
 */
@Injectable()
export class BoundedReadsService implements Queryable {
  private readonly waiting = new Set<() => void>();
  private free: number;

  constructor(
    private readonly database: Database,
    private readonly replica: ReplicaReadsService,
    @Inject(CONFIG) { DATABASE_POOL_SIZE }: Config,
  ) {
    this.free = Math.max(1, Math.floor(DATABASE_POOL_SIZE * SHARE));
  }

  /** @throws SERVICE_UNAVAILABLE when other reads take too long, or PostgreSQL is away. */
  query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return this.run(() => this.database.query<Row>(statement, values));
  }

  /** Runs other work that must not keep orders from a connection. It may use one connection at a time. @throws as {@link query}. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.enter();
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  /** Runs the statement of a list. The list may lack the newest rows, because the replica serves it while the replica keeps up. */
  list<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    const primary = {
      query: this.query.bind(this),
      transaction: this.database.transaction.bind(this.database),
    };
    const read = (server: Queryable): Promise<Row[]> => server.query<Row>(statement, values);
    return this.replica.read<Row[]>(read, primary, { mayBeTried: true });
  }

  private enter(): Promise<void> | void {
    if (this.free > 0) return void this.free--;
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(go);
        reject(databaseUnavailable());
      }, WAIT_MS);
      this.waiting.add(go);
    });
  }

  /** Lets the read that has waited longest use the free connection. */
  private leave(): void {
    const [next] = this.waiting;
    if (!next) return void this.free++;
    this.waiting.delete(next);
    next();
  }
}
