import pg from 'pg';
import type { Config } from '../../src/core/config.js';
import { eventually } from './eventually.js';
import type { TestStack } from './stack.js';

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

/** Begins work while another transaction has made a change, and commits the change when the work waits for it. */
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
    const result = work();
    const waiting = 'SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))';
    await eventually(
      () => watching.query(waiting, [rows[0]?.pid]),
      ({ rowCount }) => (rowCount ?? 0) > 0,
    );
    await changing.query('COMMIT');
    return await result;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}
