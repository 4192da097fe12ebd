import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Queryable, type Statement, type Transaction } from './database.js';
import { ReadReplicaService } from './read-replica.service.js';

/** Runs statements and transactions that change nothing. */
export interface ReadServer extends Queryable {
  transaction<Result>(read: (tx: Transaction) => Promise<Result>): Promise<Result>;
}

type Ask<Result> = (server: ReadServer) => Promise<Result>;

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
 * Reads that may be a moment old, such as lists and reports: on the replica while it keeps up, else on the primary. What
 * the replica fails to answer, the primary is asked. Nothing decides about an order or money by what it reads here.
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

  /** For reads that belong together: none of them sees less than one before it. */
  together(): ReadServer {
    let isOnPrimary = false;
    const read = async <Result>(ask: Ask<Result>, mayBeTried = false): Promise<Result> => {
      if (!isOnPrimary) await this.replica.becomesUsable();
      return this.read(ask, this.primary, {
        isOnPrimary,
        mayBeTried,
        // What the primary has, the replica may lack.
        onPrimary: () => (isOnPrimary = true),
      });
    };
    return {
      query: (statement, values) => read((server) => server.query(statement, values), true),
      transaction: (work) => read((server) => server.transaction(work)),
    };
  }

  /**
   * @param primary who is asked where the replica is not; it may have less to give to reads than all it has. `mayBeTried` is
   * what does nothing but ask, so that it may be asked twice.
   */
  async read<Result>(
    ask: Ask<Result>,
    primary: ReadServer,
    { isOnPrimary = false, mayBeTried = false, onPrimary = (): unknown => undefined } = {},
  ): Promise<Result> {
    const { database: replica } = this.replica;
    if (replica && !isOnPrimary && this.replica.isUsable) {
      try {
        const result = await ask(onceOn(replica));
        this.metrics.readFrom('replica');
        return result;
      } catch (error) {
        if (isForTheCaller(error)) throw error;
        this.replica.failed(error);
      }
    }
    onPrimary();
    if (replica) this.metrics.readFrom('primary');
    if (replica && mayBeTried && this.replica.takeTrial()) void this.tryOut(ask, replica);
    return ask(primary);
  }

  private async tryOut(ask: Ask<unknown>, replica: Database): Promise<void> {
    try {
      await ask(onceOn(replica));
    } catch (error) {
      if (!isForTheCaller(error)) return this.replica.failed(error);
    }
    this.replica.passed();
  }
}

/** The primary would say the same. What takes too long here may be in the primary's memory, and not in the replica's. */
const isForTheCaller = (error: unknown): boolean => error instanceof AppError && error.code !== 'SERVICE_UNAVAILABLE';

/** A replica ends a read for the sake of what it has to replay: the same again would end the same way. */
const onceOn = (replica: Database): ReadServer => ({
  query: (statement, values) => replica.query(statement, values),
  transaction: (read) => replica.transaction(read, 1),
});
