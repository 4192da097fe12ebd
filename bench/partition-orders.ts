import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks, fillWithOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { loadOrders } from './support/orders.js';
import { startStack } from './support/stack.js';
import { steadyLoad } from './support/steady-load.js';
import { createWallets } from './support/wallets.js';

// Partitions the tables of orders in place while orders arrive: the longest wait of an order, the answers to merchants, and the
// duration. The tables have BENCH_ORDERS orders before, 1,000,000 by default. It also measures intake at saturation and the
// answers at a steady pace, before and after: the two cannot alternate. Goals: no order waits for more than 2 s; no error;
// intake as before.

const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ORDERS_PER_SECOND = 100;
const CONNECTIONS = 64;
const DURATION_MS = 3_000;

const stack = await startStack({}, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 200);
await addInactiveWebhooks(stack.database, wallets);
await fillWithOrders(stack.database, wallets, 0, ORDERS);
await stack.database.query('VACUUM (ANALYZE)');
await stack.startWorker();
const key = wallets[0]?.key ?? '';

await measure();
const before = await rounds();
const { longestStopMs, tookMs, accepted, refused, other } = await partitionUnderLoad();
const after = await rounds();

const of = (from: Record<string, number>[], name: string): number => median(from.map((each) => each[name] ?? NaN));
report('partition-orders', [...before, ...after], {
  'orders before': ORDERS,
  'took, s': round(tookMs / 1_000),
  'longest time without an order taken, ms (goal 2000)': round(longestStopMs, 0),
  'orders taken meanwhile': accepted,
  'answered 503 meanwhile': refused,
  'answered otherwise (goal 0)': other,
  'intake after / before': round(of(after, 'orders/s') / of(before, 'orders/s'), 2),
  'p50 after / before': round(of(after, 'p50, ms') / of(before, 'p50, ms'), 2),
});
supplier.disconnect();
await stack.stop();
process.exit(0);

async function rounds(): Promise<Record<string, number>[]> {
  const measured: Record<string, number>[] = [];
  for (let n = 0; n < ROUNDS; n++) measured.push(await measure());
  return measured;
}

async function measure(): Promise<Record<string, number>> {
  await stack.database.query('CHECKPOINT');
  const asked = { url: stack.apiUrl, wallets, connections: CONNECTIONS, durationMs: DURATION_MS };
  const { perSecond } = await loadOrders(asked);
  await untilQuiet();
  const { times } = await steadyLoad({ url: stack.apiUrl, key, perSecond: ORDERS_PER_SECOND, seconds: 3 });
  await untilQuiet();
  return { 'orders/s': round(perSecond, 0), 'p50, ms': round(percentile(times, 0.5), 2) };
}

async function untilQuiet(): Promise<void> {
  const open = `SELECT 1 FROM orders WHERE status IN ('pending', 'processing') LIMIT 1`;
  while ((await stack.database.query(open)).rowCount) await delay(100);
}

async function partitionUnderLoad(): Promise<{
  longestStopMs: number;
  tookMs: number;
  accepted: number;
  refused: number;
  other: number;
}> {
  const program = { isRunning: true };
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['dist/src/partition.js', 'orders'], {
    env: { ...process.env, ...stack.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => {
    program.isRunning = false;
    if (code !== 0) throw new Error('orders could not be partitioned');
    return performance.now() - startedMs;
  });
  const sum = { longestStopMs: 0, accepted: 0, refused: 0, other: 0 };
  let lastMs = performance.now();
  while (program.isRunning) {
    const { acceptedAt, refused, other } = await steadyLoad({
      url: stack.apiUrl,
      key,
      perSecond: ORDERS_PER_SECOND,
      seconds: 1,
    });
    for (const at of acceptedAt) {
      sum.longestStopMs = Math.max(sum.longestStopMs, at - lastMs);
      lastMs = at;
    }
    sum.accepted += acceptedAt.length;
    sum.refused += refused;
    sum.other += other;
  }
  return { ...sum, tookMs: await ended };
}
