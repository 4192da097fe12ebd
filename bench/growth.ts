import { randomBytes } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks, begunBefore, fillWithOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { indexMemory } from './support/index-memory.js';
import { loadOrders, orderBody } from './support/orders.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// Intake, GET of one order, a page of the list, and the time from POST to a completed order, in an empty database and
// with orders in it, and the bytes that an order takes on disk with its indexes: BENCH_GROWTH=0,1000000 by default. The
// bytes per order tell what disk a larger size takes. Orders are only ever added, so the sizes rise and can't take
// turns: each is measured several times, and the medians are compared. Goal: within 5 % of empty.
// BENCH_LOGGED=1000000 lets only the newest million keep events and deliveries: 20 million orders take 45 GB so.
// Besides, growth-memory: how large the indexes are that the way of an order uses, and how much of them it touches.

const SIZES = (process.env.BENCH_GROWTH ?? '0,1000000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 3_000;
const WALLETS = 200;
const BYTES = 'bytes per order';
const COMPARED = ['orders/s', 'GET p50, ms', 'page p50, ms', 'POST to completed p50, ms'];
const GOAL = { from: 0.95, to: 1.05 };
/** Only the newest so many have events and deliveries still, as WEBHOOK_LOG_DAYS leaves them: less disk for large sizes. */
const LOGGED = Number(process.env.BENCH_LOGGED ?? Infinity);
/** Bytes, as they were measured; besides, the write-ahead log and what the filling holds meanwhile. */
const DISK = { perOrder: 1_900, perLogged: 1_450, besides: 5e9 };
/** What a round touches fits in there, so that nothing is read twice. */
const ROOMY = { shared_buffers: '2GB' };
const MIB = 2 ** 20;

assertDiskFor(Math.max(...SIZES));
const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, { max_wal_size: '2GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await addInactiveWebhooks(stack.database, wallets);
await stack.startWorker();
const [key, merchantId] = [wallets[0]?.key ?? '', wallets[0]?.merchantId];

const sizes: Record<string, number>[] = [];
const memory: Record<string, number | string>[] = [];
const totals: Record<string, number> = {};
let filled = 0;
let filledBytes = 0;
await measure();
for (const size of SIZES) {
  const fillSeconds = await fillTo(size);
  const rounds: Record<string, number>[] = [];
  for (let n = 0; n < ROUNDS; n++) rounds.push(await measure());
  const of = (name: string): number => round(median(rounds.map((each) => each[name] ?? NaN)), 2);
  const figures = { 'orders/s': of('intake'), 'GET p50, ms': of('get'), 'page p50, ms': of('page') };
  const bytes = size > 0 && { [BYTES]: round(filledBytes / size, 0), ...fillSeconds };
  sizes.push({ orders: size, ...figures, 'POST to completed p50, ms': of('through'), ...bytes });
  await lookAtMemory(size);
}
report('growth', sizes, resultOf(sizes));
report('growth-memory', memory, totals);
supplier.disconnect();
await stack.stop();
process.exit(0);

/** @throws before anything is begun that would fill the disk. */
function assertDiskFor(orders: number): void {
  const { bavail, bsize } = statfsSync('.');
  // Each size keeps its newest ones.
  const logged = SIZES.reduce(
    (sum, size, index) => sum + Math.min(LOGGED, size - (SIZES[index - 1] ?? 0)),
    0,
  );
  const [needed, free] = [orders * DISK.perOrder + logged * DISK.perLogged + DISK.besides, bavail * bsize];
  if (needed <= free) return;
  const gigabytes = (count: number): string => `${(count / 1e9).toFixed(0)} GB`;
  console.error(`${orders} orders need ${gigabytes(needed)} of disk, and ${gigabytes(free)} are free.`);
  process.exit(1);
}

/** @returns how long a million more took. */
async function fillTo(size: number): Promise<Record<string, number>> {
  // What the measurements before it added is not counted.
  const bytesBefore = await databaseBytes();
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const from = filled;
  await fillWithOrders(stack.database, wallets, from, size, begunBefore(Math.max(...SIZES)), {
    logged: Math.min(LOGGED, size),
    onStep: (now) => {
      const left = ((size - now) * seconds()) / (now - from) / 60;
      if (now % 1_000_000 === 0) console.log(`${now} orders; ${left.toFixed(0)} min to ${size}`);
    },
  });
  const filling = seconds();
  await stack.database.query('VACUUM (ANALYZE)');
  filled = size;
  filledBytes += (await databaseBytes()) - bytesBefore;
  const perMillion = (taken: number): number => round((taken * 1e6) / (size - from), 0);
  return {
    'filled, s per million': perMillion(filling),
    'vacuumed, s per million': perMillion(seconds() - filling),
  };
}

function resultOf(measured: Record<string, number>[]): Record<string, number | string> {
  const [empty] = measured;
  const ratios: Record<string, number> = {};
  for (const figures of measured.slice(1))
    for (const name of COMPARED)
      ratios[`${name}, ${figures.orders} / empty`] = round(
        (figures[name] ?? NaN) / (empty?.[name] ?? NaN),
        2,
      );
  const outside = Object.values(ratios).filter((ratio) => !(ratio >= GOAL.from && ratio <= GOAL.to)).length;
  const result: Record<string, number | string> = {
    goal: `ratios of ${GOAL.from} to ${GOAL.to}`,
    'ratios outside of it': `${outside} of ${Object.keys(ratios).length}`,
    ...ratios,
  };
  for (const { orders, [BYTES]: bytes } of measured)
    if (bytes !== undefined) result[`${BYTES}, ${orders}`] = bytes;
  return result;
}

/** What the orders of a round touch of the indexes, on a server that has just been started. */
async function lookAtMemory(size: number): Promise<void> {
  await stack.restartPostgres(ROOMY);
  let orders = 0;
  const found = await indexMemory(stack.database, async () => {
    await untilTaken();
    const asked = { url: stack.apiUrl, wallets, connections: 64, durationMs: DURATION_MS };
    orders = Math.round(((await loadOrders(asked)).perSecond * DURATION_MS) / 1000);
    await untilQuiet();
  });
  const sumOf = (values: number[]): number => round(values.reduce((sum, each) => sum + each, 0) / MIB, 1);
  for (const { index, bytes, touchedBytes } of found.filter((each) => each.bytes >= MIB))
    memory.push({ orders: size, index, MiB: sumOf([bytes]), 'MiB touched': sumOf([touchedBytes]) });
  totals[`indexes, MiB, ${size}`] = sumOf(found.map(({ bytes }) => bytes));
  totals[`of it touched by a round, MiB, ${size}`] = sumOf(found.map(({ touchedBytes }) => touchedBytes));
  totals[`orders of that round, ${size}`] = orders;
  await stack.restartPostgres();
  await untilTaken();
}

/** The processes find PostgreSQL again by themselves. */
async function untilTaken(): Promise<void> {
  for (;;) {
    const { status } = await place(randomBytes(8).toString('hex')).catch(() => ({ status: 0 }));
    if (
      status === 200 &&
      (await untilQuiet()
        .then(() => true)
        .catch(() => false))
    )
      return;
    await delay(100);
  }
}

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

function place(reference: string): Promise<Response> {
  return fetch(`${stack.apiUrl}/v1/orders`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: orderBody(reference),
  });
}

async function timeThrough(): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 60; n++) {
    const reference = randomBytes(8).toString('hex');
    const startedMs = performance.now();
    await place(reference);
    const ended = `SELECT 1 FROM orders WHERE merchant_id = $1 AND reference_id = $2 AND status = 'completed'`;
    while (!(await stack.database.query(ended, [merchantId, reference])).rowCount) await delay(1);
    times.push(performance.now() - startedMs);
  }
  return percentile(times, 0.5);
}
