import type { QueryRunner } from 'typeorm';
import { lockForChange } from './migration-locks.js';

type Partitionable =
  | ('orders' | 'order_items' | 'order_units' | 'unit_attempts' | 'supplier_calls')
  | 'transfers'
  | ('events' | 'webhook_deliveries' | 'webhook_attempts');

/**
 * Creates an index on a table that may be partitioned. Writers go on while PostgreSQL builds the index. If the table is
 * partitioned, they wait briefly at the start, and for each partition. Call it from a migration that runs outside a transaction.
 * An index whose build was interrupted is created again.
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
    // Each build waits for older transactions, such as that of a backup, and nothing waits behind it. After a timeout it would
    // begin again and read the whole table once more.
    await runner.query('SET lock_timeout = 0');
    try {
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${index} ON ${on} ${definition}`);
    } finally {
      // The next migrations use the connection, too. After a lost connection, the first error says more.
      await runner.query('RESET lock_timeout').catch(() => undefined);
    }
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
 * Replaces an index by one with another definition. The old index serves until the new one is complete. Then other
 * transactions wait briefly, while the indexes are renamed. Call it from a migration that runs outside a transaction. The
 * migration may run again after an interruption.
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
