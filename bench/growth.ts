import { statfsSync } from 'node:fs';
import { begunBefore, fillWithOrders } from './support/filling.js';
import { median, report, round } from './support/figures.js';
import { indexMemory } from './support/index-memory.js';
import { Shop, type ShopFigures } from './support/shop.js';

// Intake, GET of a new order, the newest page of the list, and the time from POST to a completed order, in a database with
// orders in it and in an empty one, and the bytes that an order takes on disk with its indexes: BENCH_GROWTH=1000000,5000000 for
// two sizes, by default one million. The bytes per order predict the disk of a larger size. The full database and the empty
// one alternate, so that a machine that becomes slower affects both. Goal: within 5 % of empty.
// With BENCH_LOGGED=1000000 only the newest million orders have events and deliveries: 20 million orders then take 45 GB.
// BENCH_MERCHANTS=10 gives each of them more orders, 200 share them by default.
// It also writes growth-memory: the sizes of the indexes that an order uses, and how much of them it touches.

const SIZES = (process.env.BENCH_GROWTH ?? '1000000').split(',').map(Number);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const WARM_UP_ROUNDS = 3;
const GOAL = { from: 0.95, to: 1.05 };
/** So many of the newest orders have events and deliveries, as with WEBHOOK_LOG_DAYS, which saves disk at large sizes. */
const LOGGED = Number(process.env.BENCH_LOGGED ?? Infinity);
/** Measured bytes, besides the write-ahead log and the memory of the filling. */
const DISK = { perOrder: 1_900, perLogged: 1_450, besides: 5e9 };
/** Suitable for a large database: with the default of 128 MB the filling waits for its own writes. */
const SERVER = { shared_buffers: '1GB', max_wal_size: '4GB' };
/** The pages of a round fit in, so that none is read twice. */
const ROOMY = { shared_buffers: '2GB' };
const MIB = 2 ** 20;
const FIGURES: Record<keyof ShopFigures, string> = {
  intake: 'orders/s',
  get: 'GET p50, ms',
  page: 'page p50, ms',
  through: 'POST to completed p50, ms',
};

assertDiskFor(Math.max(...SIZES));
const full = await Shop.open(SERVER);
const sizes: Record<string, number | string>[] = [];
const ratios: Record<string, number> = {};
const besides: Record<string, number> = {};
const memory: Record<string, number | string>[] = [];
const totals: Record<string, number> = {};
let [filled, filledBytes] = [0, 0];
for (const size of SIZES) {
  await fillTo(size);
  const empty = await Shop.open(SERVER);
  await compare(empty, size);
  if (size === SIZES[0]) await lookAtMemory(empty, 0);
  await empty.close();
  await lookAtMemory(full, size);
}
report('growth', sizes, resultOf(ratios));
report('growth-memory', memory, totals);
await full.close();
process.exit(0);

/** @throws before it starts, if the disk would become full. */
function assertDiskFor(orders: number): void {
  const { bavail, bsize } = statfsSync('.');
  // Each size has its own newest orders.
  const logged = SIZES.reduce((sum, size, index) => sum + Math.min(LOGGED, size - (SIZES[index - 1] ?? 0)), 0);
  const [needed, free] = [orders * DISK.perOrder + logged * DISK.perLogged + DISK.besides, bavail * bsize];
  if (needed <= free) return;
  const gigabytes = (count: number): string => `${(count / 1e9).toFixed(0)} GB`;
  console.error(`${orders} orders need ${gigabytes(needed)} of disk, and ${gigabytes(free)} are free.`);
  process.exit(1);
}

async function fillTo(size: number): Promise<void> {
  const { database } = full.stack;
  // Rows that earlier measurements added are not counted.
  const bytesBefore = await full.bytes();
  const startedMs = performance.now();
  const seconds = (): number => (performance.now() - startedMs) / 1000;
  const from = filled;
  await fillWithOrders(database, full.wallets, from, size, begunBefore(Math.max(...SIZES)), {
    logged: Math.min(LOGGED, size),
    onStep: (now) => {
      const left = ((size - now) * seconds()) / (now - from) / 60;
      if (now % 1_000_000 === 0) console.log(`${now} orders; ${left.toFixed(0)} min to ${size}`);
    },
  });
  const filling = seconds();
  await database.query('VACUUM (ANALYZE)');
  filled = size;
  filledBytes += (await full.bytes()) - bytesBefore;
  const perMillion = (taken: number): number => round((taken * 1e6) / (size - from), 0);
  besides[`bytes per order, ${size}`] = round(filledBytes / size, 0);
  besides[`filled, s per million, ${size}`] = perMillion(filling);
  besides[`vacuumed, s per million, ${size}`] = perMillion(seconds() - filling);
}

/** Alternates the two, and which of them comes first. */
async function compare(empty: Shop, size: number): Promise<void> {
  // Then both are warm, and their plans fit their contents.
  for (const shop of [empty, full]) {
    for (let n = 0; n < WARM_UP_ROUNDS; n++) await shop.measure();
    await shop.stack.database.query('VACUUM (ANALYZE)');
  }
  const rounds: { full: ShopFigures; empty: ShopFigures }[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const first = n % 2 === 0 ? await full.measure() : null;
    const other = await empty.measure();
    rounds.push({ full: first ?? (await full.measure()), empty: other });
  }
  for (const each of rounds) sizes.push({ orders: 0, ...rowOf(each.empty) }, { orders: size, ...rowOf(each.full) });
  for (const [figure, name] of Object.entries(FIGURES) as [keyof ShopFigures, string][])
    ratios[`${name}, ${size} / empty`] = round(median(rounds.map((each) => each.full[figure] / each.empty[figure])), 2);
}

function rowOf(figures: ShopFigures): Record<string, number> {
  const named = Object.entries(FIGURES) as [keyof ShopFigures, string][];
  return Object.fromEntries(named.map(([figure, name]) => [name, round(figures[figure], 2)]));
}

function resultOf(measured: Record<string, number>): Record<string, number | string> {
  const outside = Object.values(measured).filter((ratio) => !(ratio >= GOAL.from && ratio <= GOAL.to)).length;
  return {
    goal: `ratios of ${GOAL.from} to ${GOAL.to}`,
    'ratios outside of it': `${outside} of ${Object.keys(measured).length}`,
    ...measured,
    ...besides,
  };
}

/** The index pages that the orders of a round touch, on a freshly started server. */
async function lookAtMemory(shop: Shop, size: number): Promise<void> {
  await shop.restartPostgres(ROOMY);
  let orders = 0;
  const found = await indexMemory(shop.stack.database, async () => {
    orders = (await shop.load()).placed;
    await shop.untilQuiet();
  });
  const sumOf = (values: number[]): number => round(values.reduce((sum, each) => sum + each, 0) / MIB, 1);
  for (const { index, bytes, touchedBytes } of found.filter((each) => each.bytes >= MIB))
    memory.push({ orders: size, index, MiB: sumOf([bytes]), 'MiB touched': sumOf([touchedBytes]) });
  totals[`indexes, MiB, ${size}`] = sumOf(found.map(({ bytes }) => bytes));
  totals[`of it touched by a round, MiB, ${size}`] = sumOf(found.map(({ touchedBytes }) => touchedBytes));
  totals[`orders of that round, ${size}`] = orders;
  await shop.restartPostgres();
}
