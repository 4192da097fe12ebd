import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks, addOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { steadyLoad } from './support/steady-load.js';
import { createWallets } from './support/wallets.js';

// The effect of removing old events on merchants: the answers to orders at a steady load, in alternating rounds without and with
// removal. First a worker removes row by row; then, with partitions, each round drops a partition of BENCH_EVENTS (200,000 by
// default). Goal: no more than the rounds differ anyway.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const EVENTS = Number(process.env.BENCH_EVENTS ?? 200_000);
const DAYS = 30;
const ORDERS_PER_SECOND = 150;
const SECONDS = 10;
/** More than the rounds can remove. */
const OLD_ORDERS = ROUNDS * SECONDS * 6_000;

/** The build's own function, as workers run it. */
interface Built {
  keepPartitionsAhead: typeof import('../src/database/partitions/event-partitions.js').keepPartitionsAhead;
  EVENT_TABLES: typeof import('../src/database/partitions/event-partitions.js').EVENT_TABLES;
  partitionEvents: typeof import('../src/database/partitions/partition-events.js').partitionEvents;
  OldEventPartitions: typeof import('../src/database/partitions/old-event-partitions.repository.js').OldEventPartitions;
  executeOn: typeof import('../src/database/partitions/runs.js').executeOn;
  createLogger: typeof import('../src/core/logger.js').createLogger;
}

const built = async (file: string): Promise<unknown> => import(new URL(`../dist/src/${file}.js`, import.meta.url).href);
const FILES = ['event-partitions', 'partition-events', 'old-event-partitions.repository', 'runs'];
const modules = await Promise.all([...FILES.map((file) => `database/partitions/${file}`), 'core/logger'].map(built));
const { keepPartitionsAhead, EVENT_TABLES, partitionEvents, OldEventPartitions, executeOn, createLogger } =
  Object.assign({}, ...modules) as Built;

const stack = await startStack({}, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 20);
const key = wallets[0]?.key ?? '';
await addInactiveWebhooks(stack.database, wallets);
await addOrders(stack.database, wallets, 0, OLD_ORDERS);
await stack.database.query('VACUUM (ANALYZE)');

await measure('0');
const rows: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) rows.push(compared('row by row', await measure('0'), await measure(String(DAYS))));

const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c enable_seqscan=off' });
await client.connect();
const run = executeOn(client);
// The clock of the benchmark is trusted for ever.
const old = new OldEventPartitions(run, DAYS, new Date('9999-01-01'));
await partition();
const partitions: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++)
  partitions.push(compared('partition', await measure('0'), await measure('0', dropNext)));

const of = (from: Record<string, number>[], name: string): number =>
  round(median(from.map((each) => each[name] ?? NaN)), 2);
report('retention', [...rows, ...partitions], {
  'row by row: events removed/s': of(rows, 'row by row: events/s'),
  'row by row: p50 during / without': of(rows, 'row by row: p50 ratio'),
  'row by row: p99 during / without': of(rows, 'row by row: p99 ratio'),
  'partition: events/s': of(partitions, 'partition: events/s'),
  'partition: found and dropped in, ms': of(partitions, 'partition: took, ms'),
  'partition: p50 during / without': of(partitions, 'partition: p50 ratio'),
  'partition: p99 during / without': of(partitions, 'partition: p99 ratio'),
  goal: 'within what the rounds differ anyway',
});
await client.end();
supplier.disconnect();
await stack.stop();
process.exit(0);

interface Measured {
  p50: number;
  p99: number;
  /** Old events, each second. */
  removed: number;
  /** The time to drop partitions, the wait for their locks included. */
  tookMs: number;
}

/**
 * @param days of WEBHOOK_LOG_DAYS: 0 removes nothing.
 * @param beside work in the middle of the round; it returns its duration in milliseconds.
 */
async function measure(days: string, beside = () => Promise.resolve(0)): Promise<Measured> {
  const worker = await stack.startWorker({ WEBHOOK_LOG_DAYS: days });
  await steadyLoad({ url: stack.apiUrl, key, perSecond: ORDERS_PER_SECOND, seconds: 3 });
  const before = await oldEvents();
  const load = steadyLoad({ url: stack.apiUrl, key, perSecond: ORDERS_PER_SECOND, seconds: SECONDS });
  await delay((SECONDS * 1_000) / 3);
  const tookMs = await beside();
  const { times, accepted } = await load;
  if (accepted !== times.length) throw new Error('orders were refused');
  const removed = before - (await oldEvents());
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  return {
    p50: round(percentile(times, 0.5), 2),
    p99: round(percentile(times, 0.99), 2),
    removed: round(removed / SECONDS, 0),
    tookMs: round(tookMs, 0),
  };
}

function compared(what: string, without: Measured, during: Measured): Record<string, number> {
  if (during.removed <= 0) throw new Error('nothing was removed');
  return {
    [`${what}: p50 without, ms`]: without.p50,
    [`${what}: p50 during, ms`]: during.p50,
    [`${what}: p99 without, ms`]: without.p99,
    [`${what}: p99 during, ms`]: during.p99,
    [`${what}: p50 ratio`]: round(during.p50 / without.p50, 2),
    [`${what}: p99 ratio`]: round(during.p99 / without.p99, 2),
    [`${what}: events/s`]: during.removed,
    ...(during.tookMs > 0 && { [`${what}: took, ms`]: during.tookMs }),
  };
}

async function oldEvents(): Promise<number> {
  const { rows: found } = await stack.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM events WHERE created_at < now() - interval '${DAYS} days'`,
  );
  return found[0]?.count ?? 0;
}

/** Partitions events, deliveries and attempts, with enough old ones for each round, and drops the oldest. */
async function partition(): Promise<void> {
  await partitionEvents(run, BigInt(EVENTS), createLogger({ LOG_LEVEL: 'error', LOG_PRETTY: false }, 'bench'));
  const step = EVENTS / 2;
  for (let added = 0; added < EVENTS * (ROUNDS + 4); added += step) {
    await addOrders(stack.database, wallets, OLD_ORDERS + added, step);
    await run('BEGIN');
    for (const table of EVENT_TABLES) await keepPartitionsAhead(run, table);
    await run('COMMIT');
  }
  await stack.database.query('VACUUM (ANALYZE)');
  while ((await old.listEvents()).length === 0) await dropDeliveries();
  await dropNext();
}

async function dropDeliveries(): Promise<void> {
  const [deliveries] = await old.listDeliveries();
  if (!deliveries || !(await old.dropDeliveries(deliveries))) throw new Error('no deliveries were dropped');
}

/** Drops one partition of each table, as workers do. @returns the duration. */
async function dropNext(): Promise<number> {
  const startedMs = performance.now();
  await dropDeliveries();
  const [events] = await old.listEvents();
  await old.announce();
  if (!events || !(await old.dropEvents(events))) throw new Error('no events were dropped');
  return performance.now() - startedMs;
}
