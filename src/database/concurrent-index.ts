import type { QueryRunner } from 'typeorm';
import { lockForChange } from './migration-locks.js';

type Partitionable =
  | ('orders' | 'order_items' | 'order_units' | 'unit_attempts' | 'supplier_calls')
  | 'transfers'
  | ('events' | 'webhook_deliveries' | 'webhook_attempts');

/**
 * Creates an index on a table that may be partitioned. Writers go on while PostgreSQL builds the index. If the table is
 * partitioned, they wait for a moment at the start. For a migration outside a transaction. An index whose build was
 * interrupted is created again.
 * @param definition the text after the table: `(merchant_id, created_at) WHERE status = 'failed'`.
 */
export async function createIndexConcurrently(
  runner: QueryRunner,
  name: string,
  table: Partitionable,
  definition: string,
): Promise<void> {
  const partitions = (await runner.query(
    `SELECT inhrelid::regclass::text AS name, substring(inhrelid::regclass::text FROM '_p?\\d+$') AS suffix
     FROM pg_inherits WHERE inhparent = '${table}'::regclass`,
  )) as { name: string; suffix: string }[];
  const build = async (index: string, on: string): Promise<void> => {
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
    await runner.query(`CREATE INDEX CONCURRENTLY ${index} ON ${on} ${definition}`);
  };
  if (partitions.length === 0) return build(name, table);
  // Also drops the indexes of partitions that are already attached to this index.
  await runner.query(`DROP INDEX IF EXISTS ${name}`);
  await runner.query(`CREATE INDEX ${name} ON ONLY ${table} ${definition}`);
  for (const partition of partitions) {
    await build(name + partition.suffix, partition.name);
    await runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${name}${partition.suffix}`);
  }
}

/**
 * Replaces an index by one with another definition. The old index serves until the new one is complete; then other
 * transactions wait for the time of a rename. For a migration outside a transaction, which may be repeated.
 */
export async function replaceIndexConcurrently(
  runner: QueryRunner,
  name: string,
  table: Partitionable,
  definition: string,
): Promise<void> {
  const next = `${name}_next`;
  await createIndexConcurrently(runner, next, table, definition);
  const renamed = (await runner.query(
    `SELECT relid::regclass::text AS name FROM pg_partition_tree('${next}'::regclass)
     UNION SELECT '${next}'`,
  )) as { name: string }[];
  // One message is one transaction.
  await runner.query(
    [
      lockForChange(table),
      `DROP INDEX IF EXISTS ${name}`,
      ...renamed.map((index) => `ALTER INDEX ${index.name} RENAME TO ${index.name.replace(next, name)}`),
    ].join(';\n'),
  );
}
