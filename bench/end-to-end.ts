import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createNaive } from './peers/naive-schema.js';
import { createCatalog, SKU } from './support/catalog.js';
import { startHelper } from './support/child.js';
import { median, percentile, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { orderBody } from './support/orders.js';
import { ReceiverProcess, type Arrival } from './support/receiver-process.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';
import { registerWebhook } from './support/webhooks.js';

// From POST to the webhook received: placed, bought from a supplier over the network, settled, delivered. Orders a
// second at saturation with one API and one worker, compared with the usual pipeline (a transaction and a job for each step),
// and the time from the answer to the webhook without load. Everything shares the machine; fsync is on.
// Goals: 1,000 orders/s, 5 x the usual pipeline; quiet p50 under 25 ms, p99 under 80 ms.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SATURATION_MS = 4_000;
const CONNECTIONS = 64;
const MERCHANTS = 20;
const QUIET_ORDERS = 100;
const QUIET_PACE_MS = 40;

const stack = await startStack();
const receiver = await ReceiverProcess.start();
const supplier = await createCatalog(stack);
const merchants = await createWallets(stack.database, MERCHANTS);
for (const { key } of merchants) await registerWebhook(stack, key, `${receiver.url}/ok`);
await createNaive(stack.database, SKU);
const env = { DATABASE_URL: stack.databaseUrl, REDIS_URL: stack.redisUrl, NODE_ENV: 'production' };
const naiveApi = await startHelper('peers/naive-api', env);
const supplierUrl = await stack.database.query<{ base_url: string }>('SELECT base_url FROM suppliers WHERE id > 0');
const naiveWorker = await startHelper('peers/naive-worker', {
  ...env,
  SUPPLIER_URL: supplierUrl.rows[0]?.base_url ?? '',
  RECEIVER_URL: receiver.url,
});
await stack.startWorker();

await saturate(stack.apiUrl);
await saturate(naiveApi.url);
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const service = await saturate(stack.apiUrl);
  const naive = await saturate(naiveApi.url);
  const quiet = await timeQuietly();
  rounds.push({
    'orders/s': round(service, 0),
    'naive orders/s': round(naive, 0),
    ratio: round(service / naive, 2),
    'quiet p50, ms': round(percentile(quiet, 0.5)),
    'quiet p99, ms': round(percentile(quiet, 0.99)),
  });
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
report('end-to-end', rounds, {
  'orders/s (goal 1,000)': of('orders/s'),
  'service / naive (goal 5)': of('ratio'),
  'quiet p50, ms (goal 25)': of('quiet p50, ms'),
  'quiet p99, ms (goal 80)': of('quiet p99, ms'),
});
receiver.stop();
supplier.disconnect();
naiveApi.child.disconnect();
naiveWorker.child.disconnect();
await stack.stop();
process.exit(0);

function order(run: string, n: number): string {
  return httpRequest('/v1/orders', merchants[n % MERCHANTS]?.key ?? '', orderBody(`${run}-${n}`));
}

/** Places orders as fast as they are accepted, and counts them until the last webhook arrives. */
async function saturate(url: string): Promise<number> {
  const run = randomBytes(6).toString('hex');
  const arrivals: Arrival[] = [];
  receiver.onArrival((arrival) => arrivals.push(arrival));
  const startedMs = performance.now();
  let n = 0;
  const { statuses } = await load({
    url,
    connections: CONNECTIONS,
    durationMs: SATURATION_MS,
    next: () => order(run, n++),
  });
  const placed = statuses.get(200) ?? 0;
  while (new Set(arrivals.map(({ id }) => id)).size < placed) await delay(20);
  return (placed / (performance.now() - startedMs)) * 1_000;
}

/** Milliseconds from each answer to its webhook, one order at a time. */
async function timeQuietly(): Promise<number[]> {
  const run = randomBytes(6).toString('hex');
  const answered: number[] = [];
  const arrived: number[] = [];
  receiver.onArrival(({ at }) => arrived.push(at));
  for (let n = 0; n < QUIET_ORDERS; n++) {
    const response = await fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': merchants[n % MERCHANTS]?.key ?? '', 'content-type': 'application/json' },
      body: orderBody(`${run}-${n}`),
    });
    await response.arrayBuffer();
    answered.push(performance.timeOrigin + performance.now());
    // The next order follows the webhook of this one, so that the n-th webhook is the n-th order's.
    while (arrived.length <= n) await delay(1);
    await delay(QUIET_PACE_MS);
  }
  return answered.map((at, n) => (arrived[n] ?? NaN) - at);
}
