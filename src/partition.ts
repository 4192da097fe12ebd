import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadConfig } from './core/config.js';
import { createLogger } from './core/logger.js';
import { processName, startProblem } from './core/process.js';
import { FOR_MIGRATIONS } from './database/connections.js';
import { divideInPlace } from './database/partitions/divide.js';
import { partitionEvents } from './database/partitions/partition-events.js';
import { ORDERS, TRANSFERS, type TableGroup } from './database/partitions/table-groups.js';
import { executeOn } from './database/partitions/runs.js';

type PartitionTables = typeof partitionEvents;

const divideTables =
  (group: TableGroup): PartitionTables =>
  (execute, perPartition, logger) =>
    divideInPlace(execute, group, perPartition, logger);

/** The data that can be partitioned, and how many ids a partition spans by default and at least. */
const SUBJECTS = {
  orders: { partition: divideTables(ORDERS), defaultIds: 100_000_000n, min: 1_000_000n },
  // An order has two transfers, or three if it succeeded in part.
  transfers: { partition: divideTables(TRANSFERS), defaultIds: 200_000_000n, min: 2_000_000n },
  // The search for due deliveries visits each partition, so there must not be many.
  events: { partition: partitionEvents, defaultIds: 50_000_000n, min: 20_000_000n },
};

/** While this process holds its locks, orders wait. So PostgreSQL must release them soon if this process stalls. */
const RELEASE_LOCKS_SOON: pg.ClientConfig = {
  idle_in_transaction_session_timeout: 4_000,
};

// A signal ends this process at once. PostgreSQL rolls back an unfinished step, and the next start continues.
try {
  const { partition, perPartition } = readArgs(process.argv.slice(2));
  const config = loadConfig(process.env, { forCommandLine: true });
  const logger = createLogger(config, processName('partition'));
  const client = new pg.Client({
    ...FOR_MIGRATIONS,
    ...RELEASE_LOCKS_SOON,
    connectionString: config.DATABASE_URL,
  });
  await client.connect();
  await partition(executeOn(client), perPartition, logger);
  await client.end();
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}

function readArgs(args: string[]): { partition: PartitionTables; perPartition: bigint } {
  const options = { 'ids-per-partition': { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [name = ''] = positionals;
  if (positionals.length !== 1 || !Object.hasOwn(SUBJECTS, name))
    throw new Error('say what to partition, orders, transfers or events: npm run partition -- orders');
  const { partition, defaultIds, min } = SUBJECTS[name as keyof typeof SUBJECTS];
  const text = values['ids-per-partition'] ?? String(defaultIds);
  if (!/^\d{1,12}$/.test(text) || BigInt(text) < min)
    throw new Error(`--ids-per-partition must be a whole number from ${min} to 999999999999`);
  return { partition, perPartition: BigInt(text) };
}
