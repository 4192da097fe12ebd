import pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';

/** SQL with a name, under which each connection prepares it once. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A statement and what it is asked with. */
export interface Asked {
  statement: Statement;
  values: unknown[];
}

/** Something that runs statements: the pool, or one open transaction. */
export interface Queryable {
  query<Row extends object>(statement: Statement, values?: unknown[]): Promise<Row[]>;
}

/**
 * One open transaction. Statements go out as they are given and are carried out in that order, so that several whose
 * values don't depend on each other share one round trip.
 */
export interface Transaction extends Queryable {
  /** A statement whose rows nobody needs. It is not waited for: if it fails, so does the transaction. */
  write(statement: Statement, values?: unknown[]): void;

  /** TypeORM inside this very transaction, for what is not hot. */
  readonly manager: EntityManager;
}

export type ToQuery = (statement: Statement, values: unknown[]) => pg.QueryConfig;

export const prepared: ToQuery = (statement, values) => ({ ...statement, values });

/** Behind a pooler that gives each transaction another connection, nothing is kept from one to the next. */
export const unprepared: ToQuery = ({ name: _name, ...statement }, values) => ({ ...statement, values });

/**
 * A transaction on a connection that pipelines. After a statement that failed, PostgreSQL refuses the ones behind it
 * and makes a rollback of the COMMIT, so it is safe to have sent them.
 */
export class OpenTransaction implements Transaction {
  private readonly answers: Promise<pg.QueryResult>[] = [];
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

  get manager(): EntityManager {
    this.ownManager ??= managerOn(this.dataSource, (text, values) => this.send({ text, values }));
    return this.ownManager;
  }

  /** @throws the error of the first statement that failed, even if it was thrown before. */
  async commit(): Promise<void> {
    const committed = this.send('COMMIT');
    for (const answer of this.answers) await answer;
    const { command } = await committed;
    if (command !== 'COMMIT') throw new Error(`a transaction ended with ${command}`);
  }

  private send<Row extends object>(query: string | pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    this.gather();
    const answer = handledLater(this.client.query<Row>(query));
    this.answers.push(answer);
    return answer;
  }

  /** What is sent in one turn goes out at once: one system call here, and one awakening of PostgreSQL's process. */
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

/** TypeORM on connections of ours: it neither takes nor returns them, and begins and ends no transaction. */
export function managerOn(dataSource: DataSource, query: Send): EntityManager {
  const runner = dataSource.createQueryRunner();
  Object.assign(runner, { databaseConnection: { query }, isTransactionActive: true, transactionDepth: 1 });
  return runner.manager;
}

/** What awaits it still gets its error; until then that must not count as unhandled. */
export function handledLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}
