import pg from 'pg';
import type { Config } from '../../src/core/config.js';
import { wakeWorkers } from './due.js';
import { eventually } from './eventually.js';
import type { TestMerchant, TestStack } from './stack.js';

/** Works while no other connection can write into a table. Others see the work's own writes afterwards. */
export async function holding(
  { config }: Pick<TestStack, 'config'>,
  table: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client(config.DATABASE_URL);
  await client.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    await work(client);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** Works without sweepers: they wait, because they must write their heartbeat first. */
export const withoutSweeper = (stack: TestStack, work: () => Promise<unknown>): Promise<void> =>
  holding(stack, 'worker_processes', work);

/** Buys without a sweeper, so that workers need a wake-up. It sends wake-ups until one arrives. */
export async function buyWoken(stack: TestStack, merchant: TestMerchant, sku: string): Promise<void> {
  await withoutSweeper(stack, async () => {
    const { reference_id } = await stack.order(merchant, [{ sku }]);
    const wakeAndLook = async (): Promise<string> => {
      await wakeWorkers(stack);
      return (await merchant.client.get<{ status: string }>(`/v1/orders/${reference_id}`)).body.status;
    };
    await eventually(wakeAndLook, (status) => status === 'completed');
  });
}

/**
 * Waits without sweepers for what `act` causes. It acts again after some seconds: if a worker's claim fails, such as on a busy
 * machine, only a sweeper would wake the worker again for the same work.
 */
export const eventuallyWithoutSweeper = <Value>(
  stack: TestStack,
  act: () => Promise<unknown>,
  read: () => Promise<Value> | Value,
  passes: (value: Value) => boolean,
): Promise<void> =>
  withoutSweeper(stack, () => {
    let dueAtMs = 0;
    const actAndRead = async (): Promise<Value> => {
      if (performance.now() >= dueAtMs) {
        await act();
        dueAtMs = performance.now() + 5_000;
      }
      return read();
    };
    return eventually(actAndRead, passes);
  });

/** Works while another transaction holds the lock that the statement takes, such as on a row. The lock ends with the work. */
export async function whileLocked<Result>(
  { config }: { config: Pick<Config, 'DATABASE_URL'> },
  statement: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(config.DATABASE_URL);
  await client.connect();
  try {
    await client.query(`BEGIN; ${statement}`);
    return await work();
  } finally {
    await client.end();
  }
}

/**
 * Begins work while another transaction has made a change, and commits the change when the work waits for it, or has ended: on a
 * busy machine, its own limit may end the wait before anybody sees it.
 */
export async function besideChange<Result>(
  { config }: Pick<TestStack, 'config'>,
  change: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const clients = [new pg.Client(config.DATABASE_URL), new pg.Client(config.DATABASE_URL)] as const;
  const [changing, watching] = clients;
  await Promise.all(clients.map((client) => client.connect()));
  try {
    await changing.query(`BEGIN; ${change}`);
    const { rows } = await changing.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    let isOver = false;
    const result = work().finally(() => (isOver = true));
    // Its failure is thrown below.
    result.catch(() => undefined);
    const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await eventually(
      () => watching.query(waiting, [rows[0]?.pid]),
      ({ rowCount }) => isOver || (rowCount ?? 0) > 0,
    );
    await changing.query('COMMIT');
    return await result;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** Waits until so many statements wait for locks. @param like a pattern of their texts. */
export const untilWaiting = (stack: Pick<TestStack, 'sql'>, count = 1, like = '%'): Promise<object[]> =>
  eventually(
    () =>
      stack.sql(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE $1`,
        [like],
      ),
    ({ length }) => length >= count,
  );

interface Turns<Subject, First, Second> {
  /** What only this attempt uses, such as an account. */
  subject: Subject;
  /** Takes the lock. */
  lock: string;
  first: () => Promise<First>;
  second: () => Promise<Second>;
}

/**
 * Sends two requests while another transaction has a lock. Once both wait for it, it ends, so that they get it in their order.
 * Statements wait for a few seconds only, and a repetition stands behind the other request: then all begins again.
 */
export async function inTurn<Subject, First, Second>(
  { config }: Pick<TestStack, 'config'>,
  prepare: () => Promise<Turns<Subject, First, Second>>,
): Promise<{ subject: Subject; first: First; second: Second }> {
  const clients = [new pg.Client(config.DATABASE_URL), new pg.Client(config.DATABASE_URL)] as const;
  const [locking, watching] = clients;
  const attempt = async (): Promise<{ subject: Subject; first: First; second: Second } | null> => {
    const { subject, lock, first, second } = await prepare();
    await locking.query(`BEGIN; ${lock}`);
    const seen: string[] = [];
    let answered = 0;
    const count = (): number => answered++;
    const untilWaiting = async (requests: number): Promise<void> => {
      const waiting = await eventually(
        async () => namesOf(await watching.query<Waiting>(WAITING)),
        ({ length }) => length + answered >= requests,
      );
      seen.push(...waiting);
    };
    const one = first();
    void one.then(count, count);
    await untilWaiting(1);
    const two = second();
    void two.then(count, count);
    await untilWaiting(2);
    // One message, so that no time passes in between.
    const ended = (await locking.query(`${WAITING}; COMMIT`)) as unknown as pg.QueryResult<Waiting>[];
    await Promise.allSettled([one, two]);
    const still = ended.flatMap(namesOf);
    return seen.every((name) => still.includes(name)) ? { subject, first: await one, second: await two } : null;
  };
  await Promise.all(clients.map((client) => client.connect()));
  try {
    const taken = await eventually(attempt, (found) => found !== null);
    return taken as NonNullable<typeof taken>;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

interface Waiting {
  name: string;
}

/** The statements that wait for locks. A repetition has another name. */
const WAITING = `SELECT concat(pid, ' since ', query_start) AS name FROM pg_stat_activity
                 WHERE wait_event_type = 'Lock' AND datname = current_database()`;

const namesOf = ({ rows }: pg.QueryResult<Waiting>): string[] => rows.map(({ name }) => name);
