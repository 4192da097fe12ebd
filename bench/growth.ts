import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog, SKU } from './support/catalog.js';
import { median, percentile, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// Intake, GET of one order, a page of the list, and the time from POST to a completed order, in an empty database and
// with orders in it: BENCH_GROWTH=0,1000000 by default; 5000000 takes some 12 GB of disk. Each size is measured several
// times; the small ones again after the big ones is not possible, so compare medians. Goal: within 10 % of empty.

const SIZES = (process.env.BENCH_GROWTH ?? '0,1000000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 3_000;
const WALLETS = 200;
const STEP = 250_000;

const stack = await startStack({}, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await stack.startWorker();
const [key, merchantId] = [wallets[0]?.key ?? '', wallets[0]?.merchantId];

const sizes: Record<string, number>[] = [];
let filled = 0;
await measure();
for (const size of SIZES) {
  for (; filled < size; filled += STEP) await fill(filled, Math.min(STEP, size - filled));
  await stack.database.query('VACUUM (ANALYZE)');
  const rounds: Record<string, number>[] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await measure());
  const of = (name: string): number => round(median(rounds.map((each) => each[name] ?? NaN)), 2);
  const figures = { 'orders/s': of('intake'), 'GET p50, ms': of('get'), 'page p50, ms': of('page') };
  sizes.push({ orders: size, ...figures, 'POST to completed p50, ms': of('through') });
}
const [empty] = sizes;
const result: Record<string, number | string> = { goal: 'ratios of 0.9 to 1.1' };
for (const figures of sizes.slice(1)) {
  for (const name of Object.keys(figures).slice(1)) {
    result[`${name}, ${figures.orders} / empty`] = round((figures[name] ?? NaN) / (empty?.[name] ?? NaN), 2);
  }
}
report('growth', sizes, result);
supplier.disconnect();
await stack.stop();
process.exit(0);

async function measure(): Promise<Record<string, number>> {
  await stack.database.query('CHECKPOINT');
  const run = randomBytes(6).toString('hex');
  let n = 0;
  const body = (reference: string): string =>
    JSON.stringify({ reference_id: reference, user_id: 'player-1', items: [{ sku: SKU, quantity: 1 }] });
  const { perSecond } = await load({
    url: stack.apiUrl,
    connections: 64,
    durationMs: DURATION_MS,
    next: () => httpRequest('/v1/orders', wallets[n % WALLETS]?.key ?? '', body(`${run}-${n++}`)),
  });
  await untilQuiet();
  return {
    intake: perSecond,
    get: await timeGets(`/v1/orders/${run}-0`),
    page: await timeGets('/v1/orders?limit=20'),
    through: await timeThrough(body),
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

async function timeThrough(body: (reference: string) => string): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 60; n++) {
    const reference = randomBytes(8).toString('hex');
    const startedMs = performance.now();
    await fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: body(reference),
    });
    const ended = `SELECT 1 FROM orders WHERE merchant_id = $1 AND reference_id = $2 AND status = 'completed'`;
    while (!(await stack.database.query(ended, [merchantId, reference])).rowCount) await delay(1);
    times.push(performance.now() - startedMs);
  }
  return percentile(times, 0.5);
}

/** Completed orders as the service leaves them, spread over the merchants and the last year. */
async function fill(from: number, count: number): Promise<void> {
  const client = await stack.database.connect();
  // Its checks would take most of the time, and the rows fit each other.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `WITH n AS (SELECT n, now() - interval '1 year' + n * interval '5 seconds' AS at FROM generate_series($1::int, $2::int) n),
       placed AS (
         INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                             discount_amount, total_amount, open_items, created_at, updated_at)
         SELECT $3 + n % $4, 'ord_' || substr(md5(n::text), 1, 16), 'filled-' || n, sha256(n::text::bytea), 'player-1',
                'completed', 3500, 0, 3500, 0, at, at FROM n RETURNING id, merchant_id, reference_id, created_at),
       items AS (
         INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                                  status, completed_quantity)
         SELECT id, 1, '${SKU}', 1, 3500, 3500, 1, '${SKU}', 'completed', 1 FROM placed),
       units AS (
         INSERT INTO order_units (order_id, item, unit, supplier_id, state, next_action, claim, sends, supplier_reference, updated_at)
         SELECT id, 1, 1, 1, 'succeeded', 'inquire', 1, 1, 'S' || id, created_at FROM placed),
       calls AS (
         INSERT INTO supplier_calls (order_id, item, unit, kind, outcome, process, duration_ms, ended_at)
         SELECT id, 1, 1, 'send', 'succeeded', 'bench', 10, created_at FROM placed),
       money AS (
         INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, created_at)
         SELECT merchant_id, kind, debit, credit, 3500, 10000000000, id, created_at
         FROM placed, (VALUES ('order_hold', 'available', 'held'), ('order_spend', 'held', 'spent')) m(kind, debit, credit))
     INSERT INTO events (public_id, merchant_id, kind, order_id, reference_id, body, created_at)
     SELECT 'evt_' || md5('e' || id), merchant_id, 'order.completed', id, reference_id, repeat('x', 700), created_at FROM placed`,
    [from, from + count - 1, merchantId, WALLETS],
  );
  await client.query(`RESET session_replication_role`);
  client.release();
}
