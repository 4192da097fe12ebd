import type { Logger } from '../../core/logger.js';
import { withBriefLock } from './brief-lock.js';
import {
  EVENT_TABLES,
  keepPartitionsAhead,
  lastId,
  partitionsOf,
  referencedTables,
  type EventTable,
} from './event-partitions.js';
import { definitionsOf } from './event-partitions.repository.js';
import { rangeName, withRunLock, refuseArchived, refuseBound, upperOf, type Execute } from './runs.js';

/**
 * Partitions events, deliveries and attempts by ranges of ids, in place, while processes of this version and the previous
 * version work. Each existing table becomes the first partition of a new table. After an interruption, the next start continues.
 * In a partitioned table, a unique index without the id holds within each partition only. The foreign keys between the three
 * tables are dropped: with them, PostgreSQL would block writers and search the tables whenever a partition is dropped.
 * @param execute on a connection of its own, without timeouts of locks and statements.
 * @param perPartition how many ids each partition after the first spans.
 * @throws PartitionsRefused, LocksNotFree
 */
export async function partitionEvents(execute: Execute, perPartition: bigint, logger: Logger): Promise<void> {
  const left: EventTable[] = [];
  await withRunLock(execute, async () => {
    for (const each of EVENT_TABLES) if ((await partitionsOf(execute, each.table)).length === 0) left.push(each);
    const names = left.map(({ table }) => table);
    if (names.length > 0) {
      await refuseArchived(execute);
      await refuseBound(execute, names);
    }
    for (const each of left) {
      await partitionInPlace(execute, each, perPartition, logger);
      logger.info({ table: each.table }, 'the table is partitioned now');
    }
    // Autovacuum never analyzes a partitioned table as a whole.
    for (const { table } of EVENT_TABLES) await execute(`ANALYZE ${table}`);
    logger.info('events are partitioned');
  });
}

async function partitionInPlace(
  execute: Execute,
  eventTable: EventTable,
  perPartition: bigint,
  logger: Logger,
): Promise<void> {
  const { table, key } = eventTable;
  const dropLimit = async (): Promise<void> => {
    await execute(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${rangeName(table)}`);
  };
  const [{ last } = { last: '0' }] = await execute<{ last: string }>(`SELECT ${lastId(eventTable)} AS last`);
  const upTo = upperOf(BigInt(last), perPartition);
  try {
    await withBriefLock(execute, table, async () => {
      await dropLimit();
      await execute(`ALTER TABLE ${table} ADD CONSTRAINT ${rangeName(table)} CHECK (${key} < ${upTo}) NOT VALID`);
    });
    logger.info({ table, upTo: String(upTo) }, 'validating the constraint: writers go on meanwhile');
    await validate(execute, table);
    await withBriefLock(execute, await tablesInLockOrder(execute, table), () =>
      exchange(execute, eventTable, upTo, perPartition),
    );
  } catch (error) {
    // Otherwise inserts would fail once ids reach the limit.
    await withBriefLock(execute, table, dropLimit).catch((left: unknown) =>
      logger.error(
        { err: left },
        `the constraint ${rangeName(table)} could not be dropped, and inserts fail once ids reach it: start the partitioning again soon`,
      ),
    );
    throw error;
  }
}

/** Validates constraints that were added `NOT VALID`, because all constraints of a partition must be valid. */
async function validate(execute: Execute, table: string): Promise<void> {
  const notValid = await execute<{ name: string }>(
    `SELECT conname AS name FROM pg_constraint
     WHERE conrelid = '${table}'::regclass AND NOT convalidated AND conparentid = 0 ORDER BY 1`,
  );
  for (const { name } of notValid) await execute(`ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`);
}

/**
 * Lists the tables that this table refers to, then the table itself, then the tables that refer to it. Writers mostly lock
 * them in this order.
 */
async function tablesInLockOrder(execute: Execute, table: string): Promise<string> {
  const referring = await execute<{ name: string }>(`
    SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
    WHERE contype = 'f' AND confrelid = '${table}'::regclass AND conparentid = 0 ORDER BY 1`);
  return [...(await referencedTables(execute, table)), table, ...referring.map(({ name }) => name)].join(', ');
}

/** Renames the table, and makes it a partition of a new table with the old name. Reads no row. Needs the locks of all tables. */
async function exchange(execute: Execute, eventTable: EventTable, upTo: bigint, perPartition: bigint): Promise<void> {
  const { table, key } = eventTable;
  const first = `${table}_0`;
  const made = await definitionsOf(execute, table);
  for (const { definition } of made.referring) await execute(definition);
  for (const { name } of made.triggers) await execute(`DROP TRIGGER ${name} ON ${table}`);
  await execute(`ALTER TABLE ${table} RENAME TO ${first}`);
  for (const { name } of made.indexes) await execute(`ALTER INDEX ${name} RENAME TO ${name}_0`);
  await execute(`
    CREATE TABLE ${table} (LIKE ${first} INCLUDING ALL EXCLUDING INDEXES EXCLUDING IDENTITY) PARTITION BY RANGE (${key})`);
  await execute(`ALTER TABLE ${table} DROP CONSTRAINT ${rangeName(table)}`);
  await moveIdentity(execute, first, table);
  for (const { definition, isShared } of made.indexes) if (isShared) await execute(definition);
  for (const { definition } of [...made.foreignKeys, ...made.triggers, ...made.rights]) await execute(definition);
  await execute(`ALTER TABLE ${table} ATTACH PARTITION ${first} FOR VALUES FROM (MINVALUE) TO (${upTo})`);
  await execute(`ALTER TABLE ${first} DROP CONSTRAINT ${rangeName(table)}`);
  await keepPartitionsAhead(execute, eventTable, perPartition);
}

/** Moves the sequences of ids, which continue from their last values. */
async function moveIdentity(execute: Execute, from: string, to: string): Promise<void> {
  const identities = await execute<{ column: string; sequence: string }>(`
    SELECT attname AS column, pg_get_serial_sequence('${from}', attname)::regclass::text AS sequence
    FROM pg_attribute WHERE attrelid = '${from}'::regclass AND attidentity <> ''`);
  for (const { column, sequence } of identities) {
    const moving = `${sequence}_moving`;
    await execute(
      `ALTER TABLE ${to} ALTER COLUMN ${column} ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME ${moving})`,
    );
    await execute(`SELECT setval('${moving}', last_value, is_called) FROM ${sequence}`);
    await execute(`ALTER TABLE ${from} ALTER COLUMN ${column} DROP IDENTITY`);
    await execute(`ALTER SEQUENCE ${moving} RENAME TO ${sequence}`);
  }
}
