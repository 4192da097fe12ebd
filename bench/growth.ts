import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks, fillWithOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { loadOrders, orderBody } from './support/orders.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// Intake, GET of one order, a page of the list, and the time from POST to a completed order, in an empty database and
// with orders in it, and the bytes that an order takes on disk with its indexes: BENCH_GROWTH=0,1000000 by default. The
// bytes per order tell what disk a larger size takes. Orders are only ever added, so the sizes rise and can't take
// turns: each is measured several times, and the medians are compared. Goal: within 10 % of empty.

const SIZES = (process.env.BENCH_GROWTH ?? '0,1000000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 3_000;
const WALLETS = 200;
const BYTES = 'bytes per order';

const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await addInactiveWebhooks(stack.database, wallets);
await stack.startWorker();
const [key, merchantId] = [wallets[0]?.key ?? '', wallets[0]?.merchantId];

const sizes: Record<string, number>[] = [];
let filled = 0;
let filledBytes = 0;
await measure();
for (const size of SIZES) {
  // What the measurements before it added is not counted.
  const bytesBefore = await databaseBytes();
  await fillWithOrders(stack.database, wallets, filled, size);
  filled = size;
  await stack.database.query('VACUUM (ANALYZE)');
  filledBytes += (await databaseBytes()) - bytesBefore;
  const rounds: Record<string, number>[] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await measure());
  const of = (name: string): number => round(median(rounds.map((each) => each[name] ?? NaN)), 2);
  const figures = { 'orders/s': of('intake'), 'GET p50, ms': of('get'), 'page p50, ms': of('page') };
  const bytes = size > 0 && { [BYTES]: round(filledBytes / size, 0) };
  sizes.push({ orders: size, ...figures, 'POST to completed p50, ms': of('through'), ...bytes });
}
const [empty] = sizes;
const result: Record<string, number | string> = { goal: 'ratios of 0.9 to 1.1' };
for (const { orders, [BYTES]: _bytes, ...figures } of sizes.slice(1)) {
  for (const [name, figure] of Object.entries(figures))
    result[`${name}, ${orders} / empty`] = round(figure / (empty?.[name] ?? NaN), 2);
}
for (const { orders, [BYTES]: bytes } of sizes)
  if (bytes !== undefined) result[`${BYTES}, ${orders}`] = bytes;
report('growth', sizes, result);
supplier.disconnect();
await stack.stop();
process.exit(0);

async function databaseBytes(): Promise<number> {
  const { rows } = await stack.database.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  return Number(rows[0]?.bytes);
}

async function measure(): Promise<Record<string, number>> {
  await stack.database.query('CHECKPOINT');
  const asked = { url: stack.apiUrl, wallets, connections: 64, durationMs: DURATION_MS };
  const { perSecond, run } = await loadOrders(asked);
  await untilQuiet();
  return {
    intake: perSecond,
    get: await timeGets(`/v1/orders/${run}-0`),
    page: await timeGets('/v1/orders?limit=20'),
    through: await timeThrough(),
  };
}

async function untilQuiet(): Promise<void> {
  const open = `SELECT 1 FROM orders WHERE status IN ('pending', 'processing') LIMIT 1`;
  while ((await stack.database.query(open)).rowCount) await delay(100);
}

async function timeGets(path: string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 300; n++) {
    const startedMs = performance.now();
    const response = await fetch(stack.apiUrl + path, { headers: { 'x-api-key': key } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}`);
    times.push(performance.now() - startedMs);
  }
  return percentile(times, 0.5);
}

async function timeThrough(): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 60; n++) {
    const reference = randomBytes(8).toString('hex');
    const startedMs = performance.now();
    await fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: orderBody(reference),
    });
    const ended = `SELECT 1 FROM orders WHERE merchant_id = $1 AND reference_id = $2 AND status = 'completed'`;
    while (!(await stack.database.query(ended, [merchantId, reference])).rowCount) await delay(1);
    times.push(performance.now() - startedMs);
  }
  return percentile(times, 0.5);
}
