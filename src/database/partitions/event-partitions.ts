import type { Run } from './runs.js';

/** A table of events that may be in partitions by ranges of ids. */
export interface EventTable {
  table: string;
  /** Its column that the ranges are of: a bigint, and part of the primary key. */
  key: string;
  /** The table whose ids these are, where they are not its own: its partitions must be there as early as that one's. */
  idsOf?: string;
}

export const EVENTS: EventTable = { table: 'events', key: 'id' };
export const DELIVERIES: EventTable = { table: 'webhook_deliveries', key: 'id' };
export const ATTEMPTS: EventTable = {
  table: 'webhook_attempts',
  key: 'delivery_id',
  idsOf: DELIVERIES.table,
};

/** Those that operators may partition, each before those that refer to it. Workers keep a partition ahead of each. */
export const EVENT_TABLES: readonly EventTable[] = [EVENTS, DELIVERIES, ATTEMPTS];

/** One partition: it has the ids from `from`, or from the lowest, up to but without `upTo`. */
export interface Partition {
  name: string;
  from: bigint | null;
  upTo: bigint;
}

/** From here on who writes waits no longer than this for each lock that the transaction asks for. */
export const BRIEFLY = `SET LOCAL lock_timeout = '50ms'`;

/**
 * Has autovacuum leave tables until the transaction ends. It yields to whoever waits for a second, which is longer than
 * writers may be kept waiting: so this waits for it first, with a lock that stops no writer.
 */
export async function keepVacuumAway(run: Run, tables: string[]): Promise<void> {
  for (const table of tables) await run(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
}

/** The tables that rows of this one refer to. */
export async function referredBy(run: Run, table: string): Promise<string[]> {
  const rows = await run<{ name: string }>(`
    SELECT DISTINCT confrelid::regclass::text AS name FROM pg_constraint
    WHERE contype = 'f' AND conrelid = '${table}'::regclass AND conparentid = 0 ORDER BY 1 DESC`);
  return rows.map(({ name }) => name);
}

const bound = (side: 'FROM' | 'TO'): string =>
  `substring(pg_get_expr(c.relpartbound, c.oid) from '${side} \\(''?(\\d+)')::bigint`;

const attached = (table: string): string => `
  FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid WHERE inhparent = to_regclass('${table}') AND NOT inhdetachpending`;

/** Whose sequence gives the ids out that a table is divided by. */
const numberedBy = ({ table, key, idsOf }: EventTable): { table: string; key: string } =>
  idsOf === undefined ? { table, key } : { table: idsOf, key: 'id' };

/** In SQL: the last id that was given out, whether or not its row came to stay. */
const lastGiven = (kept: EventTable): string => {
  const { table, key } = numberedBy(kept);
  return `coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', '${key}')::regclass), 0)`;
};

/** In SQL: the highest id that there is, or was given out. */
export const lastId = (kept: EventTable): string => {
  const { table, key } = numberedBy(kept);
  return `greatest((SELECT max(${key}) FROM ${table}), ${lastGiven(kept)})`;
};

/** In SQL: how many ids come before the one that no partition has room for. Null of a table that is not partitioned. */
export const idsLeft = (kept: EventTable): string =>
  `((SELECT max(${bound('TO')}) ${attached(kept.table)}) - ${lastGiven(kept)})`;

/** In SQL: how many ids the newest partition has. Null of a table that is not partitioned. */
export const idsOfNewest = ({ table }: EventTable): string =>
  `(SELECT ${bound('TO')} - coalesce(${bound('FROM')}, 0) ${attached(table)} ORDER BY ${bound('TO')} DESC LIMIT 1)`;

/** Lowest ids first, without those that are being detached. */
export async function partitionsOf(run: Run, table: string): Promise<Partition[]> {
  const rows = await run<{ name: string; lower: bigint | string | null; upper: bigint | string | null }>(
    `SELECT c.relname AS name, ${bound('FROM')} AS lower, ${bound('TO')} AS upper ${attached(table)} ORDER BY upper`,
  );
  return rows.flatMap(({ name, lower, upper }) =>
    // One that is dropped at this moment has no bounds any more.
    upper === null ? [] : [{ name, from: lower === null ? null : BigInt(lower), upTo: BigInt(upper) }],
  );
}

/** Those that no id is given out for any more: the next one is begun. */
export async function filledPartitions(run: Run, kept: EventTable): Promise<Partition[]> {
  const [{ last } = { last: 0 }] = await run<{ last: bigint | string }>(`SELECT ${lastGiven(kept)} AS last`);
  return (await partitionsOf(run, kept.table)).filter(({ upTo }) => upTo <= BigInt(last));
}

/**
 * Makes partitions, as wide as the newest one, until there is at least one beyond that of the last id. There is no default
 * partition: with one, PostgreSQL could not detach others without stopping the writers, and would search it for each
 * partition that comes.
 * @param second how many ids the second partition has. It is always made: by its width go those after it.
 * @returns the names of those that were made; none of a table that is not partitioned.
 */
export async function keepPartitionsAhead(run: Run, kept: EventTable, second?: bigint): Promise<string[]> {
  const { table } = kept;
  const made: string[] = [];
  let newest = (await partitionsOf(run, table)).at(-1);
  if (!newest) return made;
  const width = second ?? newest.upTo - (newest.from ?? 0n);
  const [{ left } = { left: 0 }] = await run<{ left: bigint | string }>(`SELECT ${idsLeft(kept)} AS left`);
  for (let ids = BigInt(left); newest.from === null || ids <= width; ids += width) {
    newest = await addPartition(run, table, newest, width);
    made.push(newest.name);
  }
  return made;
}

/**
 * Like the newest one: with its storage settings, and with the unique indexes that only partitions have. Its foreign keys
 * lock the tables that they refer to against writes for a moment.
 */
async function addPartition(run: Run, table: string, newest: Partition, width: bigint): Promise<Partition> {
  await keepVacuumAway(run, await referredBy(run, table));
  await run(BRIEFLY);
  const from = newest.upTo;
  const name = `${table}_${from}`;
  const upTo = from + width;
  await run(`CREATE TABLE ${name} (LIKE ${newest.name} INCLUDING ALL EXCLUDING IDENTITY EXCLUDING INDEXES)`);
  const settings = await run<{ setting: string }>(
    `SELECT unnest(reloptions) AS setting FROM pg_class WHERE oid = '${newest.name}'::regclass`,
  );
  if (settings.length > 0) await run(`ALTER TABLE ${name} SET (${settings.map(({ setting }) => setting).join(', ')})`);
  for (const { index, rest } of await ownIndexes(run, newest.name))
    await run(`CREATE UNIQUE INDEX ${index.replace(/_\d+$/, '')}_${from} ON ${name} ${rest}`);
  await run(`ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${from}) TO (${upTo})`);
  await nameIndexes(run, name, from);
  return { name, from, upTo };
}

/** The unique indexes of a partition that are no part of the table's: they lack its key. */
const ownIndexes = (run: Run, partition: string): Promise<{ index: string; rest: string }[]> =>
  run(`
    SELECT relname AS index, regexp_replace(pg_get_indexdef(indexrelid), '^.*? (USING )', '\\1') AS rest
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid
    WHERE indrelid = '${partition}'::regclass AND indisunique AND NOT i.relispartition`);

/** As those of the table that they are part of, and the partition's number: so a plan and a list of sizes can be read. */
async function nameIndexes(run: Run, partition: string, from: bigint): Promise<void> {
  const made = await run<{ name: string; of: string }>(`
    SELECT i.relname AS name, p.relname AS of
    FROM pg_index JOIN pg_class i ON i.oid = indexrelid JOIN pg_inherits ON inhrelid = i.oid JOIN pg_class p ON p.oid = inhparent
    WHERE indrelid = '${partition}'::regclass`);
  for (const { name, of } of made) await run(`ALTER INDEX ${name} RENAME TO ${of}_${from}`);
}
