import type { ClientBase, Pool } from 'pg';
import { WAS_ANY_DETACHED } from './archived.js';

/** The constraint from which PostgreSQL knows the range of the first partition without reading it. */
export const rangeName = (table: string): string => `ck_${table}_first_partition`;

/** Executes a statement, or several without values, on one connection. Ids come as text or as bigint. */
export type Execute = <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;

/** @param options of each statement, such as its `query_timeout` in milliseconds. */
export const executeOn =
  (client: ClientBase, options: object = {}): Execute =>
  async <Row extends object>(text: string, values?: unknown[]) =>
    (await client.query<Row>({ ...options, text, ...(values && { values }) })).rows;

/** Works on one connection of a pool. An error closes the connection, and so ends a transaction that is still open. */
export async function onConnection<Result>(
  pool: Pool,
  work: (execute: Execute) => Promise<Result>,
  options?: object,
): Promise<Result> {
  const client = await pool.connect();
  let isDone = false;
  try {
    const result = await work(executeOn(client, options));
    isDone = true;
    return result;
  } finally {
    client.release(!isDone);
  }
}

/**
 * Partitioning must not start: a view would see the first partition only, orders are archived, or another partitioning run
 * is active.
 */
export class PartitionsRefused extends Error {}

/** The advisory lock of a partitioning run. Any number, but unique among our advisory locks. */
const RUN_LOCK = 7_038_170;

/**
 * Runs `work` as a partitioning run: while this connection holds the lock, no other run starts.
 * @throws PartitionsRefused
 */
export async function withRunLock(execute: Execute, work: () => Promise<void>): Promise<void> {
  const unlock = (): Promise<unknown> => execute(`SELECT pg_advisory_unlock(${RUN_LOCK})`);
  await acquireLock(execute);
  try {
    await work();
  } catch (error) {
    // After a lost connection, the first error says more.
    await unlock().catch(() => undefined);
    throw error;
  }
  await unlock();
}

/**
 * Keeps other partitioning runs away until the connection ends, or releases the lock as {@link withRunLock} does.
 * @throws PartitionsRefused if another run holds the lock.
 */
export async function acquireLock(execute: Execute): Promise<void> {
  const [lock] = await execute<{ locked: boolean }>(`SELECT pg_try_advisory_lock(${RUN_LOCK}) AS locked`);
  if (!lock?.locked) throw new PartitionsRefused('another run is partitioning tables: start again when it has ended');
}

/**
 * Refuses to partition more tables while orders are archived. A foreign key can't be validated if rows refer to archived orders,
 * and a table with an unvalidated foreign key can't become a partition.
 * @throws PartitionsRefused
 */
export async function refuseArchived(execute: Execute): Promise<void> {
  const archived = await execute(`SELECT WHERE ${WAS_ANY_DETACHED}`);
  if (archived.length > 0)
    throw new PartitionsRefused(
      'orders are archived, and a table with rows that refer to them cannot be partitioned: restore the orders first, see topup month archives',
    );
}

/**
 * Refuses tables on which views, publications, rights on columns or policies depend. PostgreSQL binds these to the table
 * itself and not to its name, so they would apply to the first partition only.
 * @throws PartitionsRefused
 */
export async function refuseBound(execute: Execute, tables: readonly string[]): Promise<void> {
  const names = tables.map((table) => `'${table}'::regclass`).join(', ');
  const bound = await execute<{ what: string }>(`
    SELECT format('view %s', r.ev_class::regclass) AS what FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refobjid IN (${names}) AND r.ev_class <> d.refobjid
    UNION
    SELECT format('publication %s', pubname) FROM pg_publication_tables
    WHERE format('%I.%I', schemaname, tablename)::regclass IN (${names})
    UNION
    SELECT format('rights on columns of %s', attrelid::regclass) FROM pg_attribute
    WHERE attrelid IN (${names}) AND attacl IS NOT NULL
    UNION
    SELECT format('policy %s on %s', polname, polrelid::regclass) FROM pg_policy WHERE polrelid IN (${names})
    ORDER BY 1`);
  if (bound.length > 0)
    throw new PartitionsRefused(
      `these would show the first partition only: ${bound.map(({ what }) => what).join(', ')}. ` +
        'Drop them, start again, and create them again afterwards',
    );
}

/** A round number, at least half a partition ahead: no id may reach it before the partitions exist. */
export const upperOf = (next: bigint, perPartition: bigint): bigint =>
  ((next + perPartition / 2n) / perPartition + 1n) * perPartition;
