import type { QueryRunner } from 'typeorm';

type Partitionable =
  | ('orders' | 'order_items' | 'order_units' | 'unit_attempts' | 'supplier_calls')
  | 'transfers'
  | ('events' | 'webhook_deliveries' | 'webhook_attempts');

/**
 * Creates an index without blocking writers, on a table that may be partitioned. For a migration outside a transaction. An
 * index whose build was interrupted is created again.
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
  // This also drops the indexes of partitions that are attached to it already.
  await runner.query(`DROP INDEX IF EXISTS ${name}`);
  await runner.query(`CREATE INDEX ${name} ON ONLY ${table} ${definition}`);
  for (const partition of partitions) {
    await build(name + partition.suffix, partition.name);
    await runner.query(`ALTER INDEX ${name} ATTACH PARTITION ${name}${partition.suffix}`);
  }
}
