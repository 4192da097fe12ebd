import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

/** SQL with a name: each connection prepares it once under that name, and keeps it. If the name is empty, it keeps nothing. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement with its values. */
export interface BoundStatement {
  statement: Statement;
  values: unknown[];
}

/** Something that runs statements: the pool, or one open transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * One open transaction. It sends each statement without waiting for earlier results, and PostgreSQL executes them in the order of
 * the calls. So statements whose values do not depend on each other's results share one round trip.
 */
export interface Transaction extends Queryable {
  /** Sends a statement whose rows are not needed, without waiting for it. If it fails, the transaction fails. */
  write(statement: Statement, values?: unknown[]): void;

  /** Does something once the transaction is committed, such as a wake-up. It must not throw. */
  afterCommit(act: () => unknown): void;

  /** TypeORM inside this transaction, for statements off the hot path. */
  readonly manager: EntityManager;
}

export type ToQuery = (statement: Statement, values: unknown[]) => pg.QueryConfig;

export const prepared: ToQuery = (statement, values) => ({ ...statement, values });

/** For a pooler that gives each transaction another connection, which may lack the prepared statements. */
export const unprepared: ToQuery = ({ name: _name, ...statement }, values) => ({ ...statement, values });

/**
 * A transaction on a pipelining connection. It may send statements before earlier results arrive: after a failed statement,
 * PostgreSQL refuses the later ones and turns the COMMIT into a rollback.
 */
export class OpenTransaction implements Transaction {
  private readonly answers: Promise<pg.QueryResult>[] = [];
  private readonly acts: (() => unknown)[] = [];
  private isGathering = false;
  private ownManager: EntityManager | undefined;

  constructor(
    private readonly client: pg.PoolClient,
    private readonly toQuery: ToQuery,
    private readonly dataSource: DataSource,
  ) {
    void this.send('BEGIN');
  }

  query<Row extends object>(statement: Statement, values: unknown[] = []): Promise<Row[]> {
    return handledLater(this.send<Row>(this.toQuery(statement, values)).then(({ rows }) => rows));
  }

  write(statement: Statement, values: unknown[] = []): void {
    void this.send(this.toQuery(statement, values));
  }

  afterCommit(act: () => unknown): void {
    this.acts.push(act);
  }

  get manager(): EntityManager {
    this.ownManager ??= managerOn(this.dataSource, (text, values) => this.send({ text, values }));
    return this.ownManager;
  }

  /** @throws the error of the first failed statement, even if its query has already thrown it. */
  async commit(): Promise<void> {
    const committed = this.send('COMMIT');
    for (const answer of this.answers) await answer;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
    for (const act of this.acts) act();
  }

  private send<Row extends object>(query: string | pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    this.gather();
    const answer = handledLater(this.client.query<Row>(query));
    this.answers.push(answer);
    return answer;
  }

  /** Statements of one turn of the event loop go out together: one system call, and PostgreSQL's process wakes once. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = this.client.connection;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }
}

type Send = (text: string, values: unknown[]) => Promise<pg.QueryResult>;

/** TypeORM on our connection. TypeORM neither acquires nor releases the connection, and begins and ends no transaction. */
export function managerOn(dataSource: DataSource, query: Send): EntityManager {
  const runner = dataSource.createQueryRunner();
  Object.assign(runner, { databaseConnection: { query }, isTransactionActive: true, transactionDepth: 1 });
  return runner.manager;
}

/** Keeps Node from counting an error of the promise as unhandled before a caller awaits the promise. The caller still gets it. */
export function handledLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
