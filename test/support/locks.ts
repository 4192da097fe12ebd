import pg from 'pg';
import type { TestStack } from './stack.js';

/** Works while nobody else can write into a table; what the work itself writes is seen when they can again. */
export async function holding(
  { config }: TestStack,
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

/** The sweepers write that their workers live before they look for anything; meanwhile they can't. */
export const withoutSweeper = (stack: TestStack, work: () => Promise<unknown>): Promise<void> =>
  holding(stack, 'worker_processes', work);

/** Works while another transaction holds what the statement locks, such as a row. The lock ends with the work. */
export async function whileLocked<Result>(
  { config }: TestStack,
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
