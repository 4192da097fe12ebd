import type { Execute } from './runs.js';

/** A table of events that may be partitioned by ranges of ids. */
export interface EventTable {
  table: string;
  /** The partition key: a bigint column of the primary key. */
  key: string;
  /** The table whose ids the key holds, if it is another table. Both tables need their partitions at the same time. */
  idsOf?: string;
}

export const EVENTS: EventTable = { table: 'events', key: 'id' };
export const DELIVERIES: EventTable = { table: 'webhook_deliveries', key: 'id' };
export const ATTEMPTS: EventTable = {
  table: 'webhook_attempts',
  key: 'delivery_id',
  idsOf: DELIVERIES.table,
};

/**
 * The tables of events that operators may partition, each before the tables that refer to it. Workers keep a partition
 * ahead in each partitioned table.
 */
export const EVENT_TABLES: readonly EventTable[] = [EVENTS, DELIVERIES, ATTEMPTS];

/** A partition with the ids from `from` (null: from the lowest) up to, but without, `upTo`. */
export interface Partition {
  name: string;
  from: bigint | null;
  upTo: bigint;
}

/** In SQL: limits how long the transaction waits for each later lock, because writers wait behind its requests. */
const SHORT_LOCK_TIMEOUT = `SET LOCAL lock_timeout = '50ms'`;

/**
 * Keeps autovacuum from tables until the transaction ends. Autovacuum yields its lock only after a second. If the stronger lock that
 * follows waited for that, writers would wait behind it. So this function first gets a weaker lock, which does not block writers.
 */
async function keepVacuumAway(execute: Execute, tables: string[]): Promise<void> {
  for (const table of tables) await execute(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
}

/** Lists the tables that rows of this table refer to. */
export async function referencedTables(execute: Execute, table: string): Promise<string[]> {
  const rows = await execute<{ name: string }>(`
    SELECT DISTINCT confrelid::regclass::text AS name FROM pg_constraint
    WHERE contype = 'f' AND conrelid = '${table}'::regclass AND conparentid = 0 ORDER BY 1 DESC`);
  return rows.map(({ name }) => name);
}

const bound = (side: 'FROM' | 'TO'): string =>
  `substring(pg_get_expr(c.relpartbound, c.oid) from '${side} \\(''?(\\d+)')::bigint`;

const attached = (table: string): string => `
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = to_regclass('${table}') AND NOT inhdetachpending`;

/** The table and column whose sequence gives out the ids of the partition key. */
const numberedBy = ({ table, key, idsOf }: EventTable): { table: string; key: string } =>
  idsOf === undefined ? { table, key } : { table: idsOf, key: 'id' };

/** In SQL: the last id that the sequence gave out, even if its row was rolled back. */
const lastGiven = (eventTable: EventTable): string => {
  const { table, key } = numberedBy(eventTable);
  return `coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', '${key}')::regclass), 0)`;
};

/** In SQL: the highest id that a row has or the sequence gave out. */
export const lastId = (eventTable: EventTable): string => {
  const { table, key } = numberedBy(eventTable);
  return `greatest((SELECT max(${key}) FROM ${table}), ${lastGiven(eventTable)})`;
};

/** In SQL: how many ids fit into the partitions after the last given id. Null if the table is not partitioned. */
export const idsLeft = (eventTable: EventTable): string =>
  `((SELECT max(${bound('TO')}) ${attached(eventTable.table)}) - ${lastGiven(eventTable)})`;

/** In SQL: how many ids the newest partition spans. Null if the table is not partitioned. */
export const idsOfNewest = ({ table }: EventTable): string =>
  `(SELECT ${bound('TO')} - coalesce(${bound('FROM')}, 0) ${attached(table)} ORDER BY ${bound('TO')} DESC LIMIT 1)`;

/** Lists partitions, lowest ids first. Leaves out partitions that are being detached. */
export async function partitionsOf(execute: Execute, table: string): Promise<Partition[]> {
  const rows = await execute<{ name: string; lower: bigint | string | null; upper: bigint | string | null }>(
    `SELECT c.relname AS name, ${bound('FROM')} AS lower, ${bound('TO')} AS upper ${attached(table)} ORDER BY upper`,
  );
  return rows.flatMap(({ name, lower, upper }) =>
    // A partition that is being dropped has no bounds any more.
    upper === null ? [] : [{ name, from: lower === null ? null : BigInt(lower), upTo: BigInt(upper) }],
  );
}

/** Partitions that get no more ids, because the next one is in use. */
export async function filledPartitions(execute: Execute, eventTable: EventTable): Promise<Partition[]> {
  const [{ last } = { last: 0 }] = await execute<{ last: bigint | string }>(`SELECT ${lastGiven(eventTable)} AS last`);
  return (await partitionsOf(execute, eventTable.table)).filter(({ upTo }) => upTo <= BigInt(last));
}

/**
 * Creates partitions, as wide as the newest one, until at least one lies beyond the last id. There is no default partition:
 * PostgreSQL would search it before each new partition is added, and would block writers when a partition is detached.
 * @param second how many ids the second partition spans. It is always created, because later partitions take its width.
 * @returns the names of the new partitions: none if the table is not partitioned.
 */
export async function keepPartitionsAhead(
  execute: Execute,
  eventTable: EventTable,
  second?: bigint,
): Promise<string[]> {
  const { table } = eventTable;
  const made: string[] = [];
  let newest = (await partitionsOf(execute, table)).at(-1);
  if (!newest) return made;
  const width = second ?? newest.upTo - (newest.from ?? 0n);
  const [{ left } = { left: 0 }] = await execute<{ left: bigint | string }>(`SELECT ${idsLeft(eventTable)} AS left`);
  for (let ids = BigInt(left); newest.from === null || ids <= width; ids += width) {
    newest = await addPartition(execute, table, newest, width);
    made.push(newest.name);
  }
  return made;
}

/**
 * Creates a partition like the newest one: with its storage settings, and with the unique indexes that only partitions have.
 * For a moment, its foreign keys block writes to the tables that they refer to.
 */
async function addPartition(execute: Execute, table: string, newest: Partition, width: bigint): Promise<Partition> {
  await keepVacuumAway(execute, await referencedTables(execute, table));
  await execute(SHORT_LOCK_TIMEOUT);
  const from = newest.upTo;
  const name = `${table}_${from}`;
  const upTo = from + width;
  await execute(`CREATE TABLE ${name} (LIKE ${newest.name} INCLUDING ALL EXCLUDING IDENTITY EXCLUDING INDEXES)`);
  const settings = await execute<{ setting: string }>(
    `SELECT unnest(reloptions) AS setting FROM pg_class WHERE oid = '${newest.name}'::regclass`,
  );
  if (settings.length > 0)
    await execute(`ALTER TABLE ${name} SET (${settings.map(({ setting }) => setting).join(', ')})`);
  for (const { index, rest } of await ownIndexes(execute, newest.name))
    await execute(`CREATE UNIQUE INDEX ${index.replace(/_\d+$/, '')}_${from} ON ${name} ${rest}`);
  await execute(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${upTo})`);
  await nameIndexes(execute, name, from);
  return { name, from, upTo };
}

/** The unique indexes that only the partition has, because they lack the partition key. */
const ownIndexes = (execute: Execute, partition: string): Promise<{ index: string; rest: string }[]> =>
  execute(`
    SELECT relname AS index, regexp_replace(pg_get_indexdef(indexrelid), '^.*? (USING )', '\\1') AS rest
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid
    WHERE indrelid = '${partition}'::regclass AND indisunique AND NOT i.relispartition`);

/** Names indexes after those of the table and the partition's first id, so that plans and lists of sizes are readable. */
async function nameIndexes(execute: Execute, partition: string, from: bigint): Promise<void> {
  const made = await execute<{ name: string; of: string }>(`
    SELECT i.relname AS name, p.relname AS of
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_inherits ON inhrelid = i.oid JOIN pg_class p ON p.oid = inhparent
    WHERE indrelid = '${partition}'::regclass`);
  for (const { name, of } of made) await execute(`ALTER INDEX ${name} RENAME TO ${of}_${from}`);
}
