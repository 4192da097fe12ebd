import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadConfig } from './core/config.js';
import { createLogger } from './core/logger.js';
import { processName, startProblem } from './core/process.js';
import { FOR_MIGRATIONS } from './database/connections.js';
import type { Run } from './order-partitions/order-partitions.repository.js';
import { partitionOrders } from './order-partitions/partition-orders.js';

/** It holds locks that every order waits for: whatever becomes of this machine, PostgreSQL lets go of them within seconds. */
const GIVEN_UP_SOON: pg.ClientConfig = {
  idle_in_transaction_session_timeout: 4_000,
  options:
    '-c statement_timeout=0 -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3 -c tcp_user_timeout=15000',
};

// A signal ends it at once: what is half done is taken back, or gone on with by the next start.
try {
  const perPartition = readSize(process.argv.slice(2));
  const config = loadConfig(process.env, { forCommandLine: true });
  const logger = createLogger(config, processName('partition-orders'));
  const client = new pg.Client({
    ...FOR_MIGRATIONS,
    ...GIVEN_UP_SOON,
    connectionString: config.DATABASE_URL,
  });
  await client.connect();
  const run: Run = async <Row extends object>(text: string, values?: unknown[]) =>
    (await client.query<Row>(text, values)).rows;
  await partitionOrders(run, perPartition, logger);
  await client.end();
} catch (error) {
  console.error(startProblem(error));
  process.exit(1);
}

function readSize(args: string[]): bigint {
  const options = { 'orders-per-partition': { type: 'string', default: '100000000' } } as const;
  const text = parseArgs({ args, options }).values['orders-per-partition'];
  if (!/^[1-9]\d{6,11}$/.test(text))
    throw new Error('--orders-per-partition must be a whole number from 1000000 to 999999999999');
  return BigInt(text);
}
