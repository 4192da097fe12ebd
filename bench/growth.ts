import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog, SKU } from './support/catalog.js';
import { median, percentile, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { orderBody } from './support/orders.js';
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
const STEP = 250_000;
const BYTES = 'bytes per order';
/** As long as the name of a worker in a container. */
const PROCESS = 'worker@0123456789ab:1-0a1b';

const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await addInactiveWebhooks();
await stack.startWorker();
const [key, merchantId] = [wallets[0]?.key ?? '', wallets[0]?.merchantId];

const sizes: Record<string, number>[] = [];
let filled = 0;
let filledBytes = 0;
await measure();
for (const size of SIZES) {
  // What the measurements before it added is not counted.
  const bytesBefore = await databaseBytes();
  while (filled < size) {
    const count = Math.min(STEP, size - filled);
    await fill(filled, count);
    filled += count;
  }
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

/** For the filled orders' deliveries: an inactive webhook gets none of the measured orders. */
async function addInactiveWebhooks(): Promise<void> {
  await stack.database.query(
    `INSERT INTO webhooks (merchant_id, url, events, secret_sealed, secret_hint, status)
     SELECT id, 'https://shop.example/webhooks', '{order.completed}'::text[], '\\x00'::bytea, 'whsec_ab...', 'inactive'
     FROM unnest($1::int[]) AS id`,
    [wallets.map((wallet) => wallet.merchantId)],
  );
}

async function databaseBytes(): Promise<number> {
  const { rows } = await stack.database.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  );
  return Number(rows[0]?.bytes);
}

async function measure(): Promise<Record<string, number>> {
  await stack.database.query('CHECKPOINT');
  const run = randomBytes(6).toString('hex');
  let n = 0;
  const { perSecond } = await load({
    url: stack.apiUrl,
    connections: 64,
    durationMs: DURATION_MS,
    next: () => httpRequest('/v1/orders', wallets[n % WALLETS]?.key ?? '', orderBody(`${run}-${n++}`)),
  });
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

/** Completed and delivered orders as the service leaves them, spread over the merchants and the last year. */
async function fill(from: number, count: number): Promise<void> {
  const client = await stack.database.connect();
  // Its checks would take most of the time, and the rows fit each other.
  await client.query(`SET session_replication_role = 'replica'`);
  await client.query(
    `WITH n AS (SELECT n, now() - interval '1 year' + n * interval '5 seconds' AS at FROM generate_series($1::int, $2::int) n),
       placed AS (
         INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                             discount_amount, total_amount, open_items, request_id, created_at, updated_at)
         SELECT $3 + n % $4, 'ord_' || substr(md5(n::text), 1, 16), 'filled-' || n, sha256(n::text::bytea), 'player-1',
                'completed', 3500, 0, 3500, 0, 'req_' || substr(md5('r' || n), 1, 20), at, at FROM n
         RETURNING id, merchant_id, reference_id, created_at),
       items AS (
         INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                                  status, completed_quantity)
         SELECT id, 1, '${SKU}', 1, 3500, 3500, 1, '${SKU}', 'completed', 1 FROM placed),
       units AS (
         INSERT INTO order_units (order_id, item, unit, supplier_id, state, next_action, claim, sends, first_sent_at,
                                  last_sent_at, supplier_reference, updated_at)
         SELECT id, 1, 1, 1, 'succeeded', 'inquire', 1, 1, created_at, created_at, 'S' || id, created_at FROM placed),
       calls AS (
         INSERT INTO supplier_calls (order_id, item, unit, kind, outcome, process, duration_ms, ended_at)
         SELECT id, 1, 1, 'send', 'succeeded', '${PROCESS}', 10, created_at FROM placed),
       money AS (
         INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id, created_at)
         SELECT merchant_id, kind, debit, credit, 3500, 10000000000, id, created_at
         FROM placed, (VALUES ('order_hold', 'available', 'held'), ('order_spend', 'held', 'spent')) m(kind, debit, credit)),
       told AS (
         INSERT INTO events (public_id, merchant_id, kind, order_id, reference_id, body, created_at)
         SELECT 'evt_' || substr(md5('e' || id), 1, 22), merchant_id, 'order.completed', id, reference_id,
                repeat('x', 700), created_at FROM placed RETURNING id, merchant_id, created_at),
       delivered AS (
         INSERT INTO webhook_deliveries (webhook_id, event_id, status, attempt_count, attempt_ended_at, claimed_by,
                                         created_at, updated_at)
         SELECT webhooks.id, told.id, 'succeeded', 1, told.created_at, '${PROCESS}', told.created_at, told.created_at
         FROM told JOIN webhooks USING (merchant_id) RETURNING id, created_at)
     INSERT INTO webhook_attempts (delivery_id, number, started_at, duration_ms, response_status, response_body)
     SELECT id, 1, created_at, 10, 204, '' FROM delivered`,
    [from, from + count - 1, merchantId, WALLETS],
  );
  await client.query(`RESET session_replication_role`);
  client.release();
}
