import pg from 'pg';
import type { Config } from '../../src/core/config.js';
import { WorkNotifier } from '../../src/queues/work-notifier.js';
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
  const suppliers = (await stack.sql<{ id: number }>('SELECT id FROM suppliers')).map(({ id }) => id);
  await withoutSweeper(stack, async () => {
    const { reference_id } = await stack.order(merchant, [{ sku }]);
    const wakeAndLook = async (): Promise<string> => {
      stack.api.get(WorkNotifier).notifyFulfilment(suppliers);
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
