import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog, SKU } from './support/catalog.js';
import { startHelper } from './support/child.js';
import { median, percentile, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { orderBody } from './support/orders.js';
import { ReceiverProcess, type Arrival } from './support/receiver-process.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';
import { registerWebhook } from './support/webhooks.js';

// The cost of failover: orders per second at saturation, and the time from an answer to the webhook of the completed order without
// load, for three alternating products. One supplier offers the first, two offer the second, and two offer the third, of which
// one refuses every purchase, so that each order takes two attempts. One API and one worker; everything shares the
// machine, and fsync is on.
// Goals: a second offer costs nothing; an order of two attempts takes no more than two orders of one.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 6);
const SATURATION_MS = 4_000;
const CONNECTIONS = 64;
const MERCHANTS = 20;
const QUIET_ORDERS = 60;
const QUIET_PACE_MS = 30;

const ONE_OFFER = SKU;
const TWO_OFFERS = 'BENCH-2';
const REFUSED_FIRST = 'BENCH-3';
const NAMES = { [ONE_OFFER]: 'one offer', [TWO_OFFERS]: 'two offers', [REFUSED_FIRST]: 'refused first' };

const stack = await startStack();
const receiver = await ReceiverProcess.start();
const suppliers = [await createCatalog(stack), await createOffers()];
const merchants = await createWallets(stack.database, MERCHANTS);
for (const { key } of merchants) await registerWebhook(stack, key, `${receiver.url}/ok`);
await stack.startWorker();

for (const sku of Object.keys(NAMES)) await saturate(sku);
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  for (const [sku, name] of inTurn(n)) {
    figures[`${name}, orders/s`] = round(await saturate(sku), 0);
    figures[`${name}, quiet p50, ms`] = round(percentile(await timeQuietly(sku), 0.5), 2);
  }
  rounds.push(figures);
}
const attempts = await stack.database.query<{ sku: string; attempts: number }>(
  `SELECT i.sku, avg(u.attempt)::float8 AS attempts
   FROM order_items i JOIN order_units u ON u.order_id = i.order_id AND u.item = i.position GROUP BY i.sku`,
);
const ratio = (name: string, figure: string): number =>
  round(median(rounds.map((each) => (each[`${name}, ${figure}`] ?? NaN) / (each[`one offer, ${figure}`] ?? NaN))), 2);
report('routing', rounds, {
  'orders/s, two offers / one (goal 0.95)': ratio('two offers', 'orders/s'),
  'orders/s, refused first / one offer (goal 0.5)': ratio('refused first', 'orders/s'),
  'quiet p50, two offers / one (goal 1.05)': ratio('two offers', 'quiet p50, ms'),
  'quiet p50, refused first / one offer (goal 2)': ratio('refused first', 'quiet p50, ms'),
  ...Object.fromEntries(
    attempts.rows.map(({ sku, attempts: mean }) => [
      `attempts an order, ${NAMES[sku as keyof typeof NAMES]}`,
      round(mean, 2),
    ]),
  ),
});
receiver.stop();
for (const supplier of suppliers) supplier.disconnect();
await stack.stop();
process.exit(0);

/** The products, rotated: the first one of a round meets the open work of the round before. */
function inTurn(n: number): [sku: string, name: string][] {
  const all = Object.entries(NAMES);
  const first = n % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

/** Adds a second supplier and the products that two suppliers offer. @returns its process. */
async function createOffers() {
  const { child, url } = await startHelper('support/supplier');
  await stack.topup('supplier', 'set', '--code', 'other', '--adapter', 'http', '--base-url', url);
  for (const [sku, firstSku] of Object.entries({ [TWO_OFFERS]: TWO_OFFERS, [REFUSED_FIRST]: 'SOLD-OUT' })) {
    await stack.topup('product', 'set', '--sku', sku, '--name', sku, '--price', '35.00');
    await offer(sku, 'bench', firstSku, 1);
    await offer(sku, 'other', sku, 2);
  }
  return child;
}

function offer(sku: string, supplier: string, supplierSku: string, priority: number): Promise<unknown> {
  const what = ['--sku', sku, '--supplier', supplier, '--supplier-sku', supplierSku];
  return stack.topup('offer', 'set', ...what, '--priority', String(priority));
}

/** Places orders as fast as they are accepted, and counts them until the last webhook arrives. */
async function saturate(sku: string): Promise<number> {
  const run = randomBytes(6).toString('hex');
  const arrivals: Arrival[] = [];
  receiver.onArrival((arrival) => arrivals.push(arrival));
  const startedMs = performance.now();
  let n = 0;
  const next = (): string => {
    const { key = '' } = merchants[n % MERCHANTS] ?? {};
    return httpRequest('/v1/orders', key, orderBody(`${run}-${n++}`, undefined, sku));
  };
  const { statuses } = await load({ url: stack.apiUrl, connections: CONNECTIONS, durationMs: SATURATION_MS, next });
  const placed = statuses.get(200) ?? 0;
  while (new Set(arrivals.map(({ id }) => id)).size < placed) await delay(20);
  return (placed / (performance.now() - startedMs)) * 1_000;
}

/** Milliseconds from each answer to its webhook, one order at a time. */
async function timeQuietly(sku: string): Promise<number[]> {
  const run = randomBytes(6).toString('hex');
  const [merchant] = merchants;
  const took: number[] = [];
  for (let n = 0; n < QUIET_ORDERS; n++) {
    const arrived = receiver.collect(1);
    const response = await fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': merchant?.key ?? '', 'content-type': 'application/json' },
      body: orderBody(`${run}-${n}`, undefined, sku),
    });
    await response.arrayBuffer();
    const answeredAt = performance.timeOrigin + performance.now();
    const [arrival] = await arrived;
    took.push((arrival?.at ?? NaN) - answeredAt);
    await delay(QUIET_PACE_MS);
  }
  return took;
}
