import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Queryable, type Statement, type Transaction } from './database.js';
import { ReadReplicaService } from './read-replica.service.js';

/** Runs statements and transactions that only read. */
export interface ReadServer extends Queryable {
  transaction<Result>(read: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

type Work<Result> = (server: ReadServer) => Promise<Result>;

type Replica = Pick<ReadReplicaService, 'database' | 'isUsable' | 'becomesUsable' | 'takeTrial' | 'passed' | 'failed'>;

export const NO_REPLICA: Replica = {
  database: null,
  isUsable: false,
  becomesUsable: () => Promise.resolve(false),
  takeTrial: () => false,
  passed: () => undefined,
  failed: () => undefined,
};

/**
 * Runs reads that may be a moment old, such as lists and reports. The replica serves them while it keeps up. The primary
 * serves them otherwise, and when the replica fails. No decision about an order or money may rest on these reads.
 */
@Injectable()
export class ReplicaReadsService implements ReadServer {
  constructor(
    private readonly primary: Database,
    @Inject(ReadReplicaService) private readonly replica: Replica,
    private readonly metrics: Metrics,
  ) {}

  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]> {
    return this.read((server) => server.query<Row>(statement, values), this.primary, { mayBeTried: true });
  }

  async transaction<Result>(read: (tx: Transaction) => Promise<Result>): Promise<Result> {
    await this.replica.becomesUsable();
    return this.read((server) => server.transaction(read), this.primary);
  }

  /** For reads that belong together: no read sees an older state than the reads before it. */
  together(): ReadServer {
    let isOnPrimary = false;
    const read = async <Result>(work: Work<Result>, mayBeTried = false): Promise<Result> => {
      if (!isOnPrimary) await this.replica.becomesUsable();
      return this.read(work, this.primary, {
        isOnPrimary,
        mayBeTried,
        // The replica may lack data that the primary has just shown.
        onPrimary: () => (isOnPrimary = true),
      });
    };
    return {
      query: (statement, values) => read((server) => server.query(statement, values), true),
      transaction: (work) => read((server) => server.transaction(work)),
    };
  }

  /**
   * Runs `work` on the replica, or on the primary if the replica is not usable or fails.
   * - `isOnPrimary`: only the primary may serve this read.
   * - `mayBeTried`: `work` may run twice, so a replica on probation may run it as a trial beside the primary.
   * - `onPrimary` is called before the primary serves the read.
   * @param primary such as one with limited connections.
   */
  async read<Result>(
    work: Work<Result>,
    primary: ReadServer,
    { isOnPrimary = false, mayBeTried = false, onPrimary = (): unknown => undefined } = {},
  ): Promise<Result> {
    const { database: replica } = this.replica;
    if (replica && !isOnPrimary && this.replica.isUsable) {
      try {
        const result = await work(onceOn(replica));
        this.metrics.readFrom('replica');
        return result;
      } catch (error) {
        if (isForTheCaller(error)) throw error;
        this.replica.failed(error);
      }
    }
    onPrimary();
    if (replica) this.metrics.readFrom('primary');
    if (replica && mayBeTried && this.replica.takeTrial()) void this.tryOut(work, replica);
    return work(primary);
  }

  private async tryOut(work: Work<unknown>, replica: Database): Promise<void> {
    try {
      await work(onceOn(replica));
    } catch (error) {
      if (!isForTheCaller(error)) return this.replica.failed(error);
    }
    this.replica.passed();
  }
}

/**
 * Whether the work itself threw the error, and so would throw it on the primary too. PostgreSQL's errors do not count. A timeout,
 * for example, may not happen on the primary, which may have rows in memory that the replica reads from disk.
 */
const isForTheCaller = (error: unknown): boolean => error instanceof AppError && error.code !== 'SERVICE_UNAVAILABLE';

/** One try only: a read that conflicts with the replica's recovery would probably conflict again. */
const onceOn = (replica: Database): ReadServer => ({
  query: (statement, values) => replica.query(statement, values),
  transaction: (read) => replica.transaction(read, 1),
});
