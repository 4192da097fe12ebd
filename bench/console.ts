import { once } from 'node:events';
import { createCatalog } from './support/catalog.js';
import { startConsole } from './support/console.js';
import { addInactiveWebhooks, addTroubles, fillWithOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { Operator } from './support/operator.js';
import { loadOrders } from './support/orders.js';
import { residentMb } from './support/resident.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The speed of the operators' console with BENCH_ORDERS orders (1,000,000 by default) and ten operators whose tabs poll meanwhile;
// what those operators cost the intake of orders; and the speed and memory of a CSV.
// Goals: p95 of pages at most 50 ms, of searches 100 ms, of stats 20 ms, of signing in 250 ms; intake with them at least
// 0.97 of that without. All pages alternate for several rounds, and the medians of their p95s count.

const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const PASSES = 5;
const ASKED = 60;
const PEOPLE = 10;
const WALLETS = 200;
/** The polling intervals of the pages, in milliseconds. */
const EVERY = { openOrder: 2_000, list: 5_000, figures: 10_000 };

interface Asked extends Record<string, number | string> {
  page: string;
  'p50, ms': number;
  'p95, ms': number;
}

const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, { max_wal_size: '4GB', shared_buffers: '1GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await addInactiveWebhooks(stack.database, wallets);
await fillWithOrders(stack.database, wallets, 0, ORDERS);
await addTroubles(stack.database);
await stack.database.query('VACUUM (ANALYZE)');

const { child, url, readyMs } = await startConsole(stack);
const people = await Promise.all(Array.from({ length: PEOPLE + 1 }, (_, n) => Operator.signIn(stack, url, n + 1)));
const [asking, ...watching] = people as [Operator, ...Operator[]];

const pages = await pagesToAsk();
const watch = startWatching();
const asked = await timePages();
watch.stop();
const signIn = await timeSignIns();
const intake = await intakeRatio();
const csv = await timeCsv();

const worst = (kind: string): number =>
  Math.max(...asked.filter(({ page }) => kindOf(page) === kind).map((each) => each['p95, ms']));
report('console', asked, {
  orders: ORDERS,
  'goal: p95, ms': 'pages 50, searches 100, figures 20',
  'worst page, p95, ms': worst('page'),
  'worst search, p95, ms': worst('search'),
  'worst figures, p95, ms': worst('figures'),
  'sign-in, p95, ms (goal <= 250)': signIn,
  'intake with ten people / without (goal >= 0.97)': intake,
  'CSV, lines/s (goal >= 20,000)': round(csv.perSecond, 0),
  'CSV, MB more in memory (goal <= 50)': csv.megabytes,
  'memory after it, MB (goal at rest <= 180)': csv.atRest,
  'start to ready, s (goal <= 3)': round(readyMs / 1_000, 1),
});
supplier.disconnect();
child.kill('SIGTERM');
await once(child, 'exit');
await stack.stop();
process.exit(0);

function kindOf(name: string): string {
  return name.startsWith('search') ? 'search' : name.startsWith('figures') ? 'figures' : 'page';
}

/** The measured requests by name; for lists, also a page deep in the past. */
async function pagesToAsk(): Promise<Record<string, string>> {
  const { rows } = await stack.database.query<Record<string, string>>(
    `SELECT o.order_number, o.reference_id, o.user_id, u.supplier_reference, e.public_id AS event, o.created_at::date::text AS day,
            (o.created_at::date + 1)::text AS next_day
     FROM orders o JOIN order_units u ON u.order_id = o.id JOIN events e ON e.order_id = o.id
     WHERE o.id = (SELECT max(id) / 2 FROM orders)`,
  );
  const [some] = rows;
  if (some === undefined) throw new Error('there is no order in the middle');
  const merchant = wallets[0]?.merchantId;
  return {
    orders: '/api/orders',
    'orders, a page deep in the past': `/api/orders?to=${some.day}T12:00:00Z`,
    'orders, one day': `/api/orders?from=${some.day}T00:00:00Z&to=${some.next_day}T00:00:00Z`,
    'orders, failed': '/api/orders?status=failed',
    'orders, in progress': '/api/orders?status=processing',
    'orders, one merchant': `/api/orders?merchant=${merchant}`,
    'orders, one merchant, failed': `/api/orders?merchant=${merchant}&status=failed`,
    'one order': `/api/orders/${some.order_number}`,
    review: '/api/review',
    'in doubt': '/api/review?state=unknown',
    merchants: '/api/merchants',
    'one merchant': `/api/merchants/${merchant}`,
    statement: `/api/merchants/${merchant}/entries`,
    webhooks: '/api/webhooks',
    deliveries: '/api/deliveries',
    'deliveries, failed': '/api/deliveries?status=failed',
    products: '/api/products',
    log: '/api/log',
    'search by number': `/api/search?q=${some.order_number}`,
    'search by reference': `/api/search?q=${some.reference_id}`,
    'search by player': `/api/search?q=${some.user_id}`,
    "search by supplier's reference": `/api/search?q=${some.supplier_reference}`,
    'search by event': `/api/search?q=${some.event}`,
    'search for nothing': '/api/search?q=no-such-thing',
    'business of today': '/api/figures/business',
    'figures now': '/api/figures/now',
    'figures by minute': `/api/figures/minutes?from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date().toISOString()}`,
  };
}

async function timePages(): Promise<Asked[]> {
  const passes: Asked[][] = [];
  for (let n = 0; n < PASSES; n++) passes.push(await inTurn(Object.entries(pages), ([page, path]) => time(page, path)));
  return Object.keys(pages).map((page, at) => {
    const over = (figure: 'p50, ms' | 'p95, ms'): number => median(passes.map((pass) => pass[at]?.[figure] ?? NaN));
    return { page, 'p50, ms': over('p50, ms'), 'p95, ms': over('p95, ms') };
  });
}

async function time(page: string, path: string): Promise<Asked> {
  const times: number[] = [];
  for (let n = 0; n < ASKED; n++) times.push((await asking.get(path)).ms);
  return { page, 'p50, ms': round(percentile(times, 0.5)), 'p95, ms': round(percentile(times, 0.95)) };
}

/** Signs operators in one after another, each from an address of its own. */
async function timeSignIns(): Promise<number> {
  const times = await inTurn(watching, (person) => person.signInAgain());
  return round(percentile(times, 0.95));
}

async function inTurn<Item, Result>(items: Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** Ten operators' tabs: each polls a list, the stats and an open order as often as the pages do. */
function startWatching(): { stop: () => void } {
  const lists = ['/api/orders', '/api/review', '/api/orders?status=failed', '/api/deliveries'];
  const timers = watching.flatMap((person, n) => {
    const ask = (path: string, everyMs: number): NodeJS.Timeout =>
      setInterval(() => void person.get(path).catch((error: unknown) => fail(error)), everyMs);
    return [
      ask(lists[n % lists.length] ?? '', EVERY.list + n * 7),
      ask('/api/figures/now', EVERY.figures + n * 7),
      ask(pages['one order'] ?? '', EVERY.openOrder + n * 7),
    ];
  });
  return {
    stop: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}

/** Orders per second with ten operators polling, divided by those without, in alternating rounds. */
async function intakeRatio(): Promise<number> {
  const ratios: number[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const without = await takeOrders();
    const watched = startWatching();
    const beside = await takeOrders();
    watched.stop();
    ratios.push(beside / without);
  }
  return round(median(ratios), 3);
}

async function takeOrders(): Promise<number> {
  await stack.database.query('CHECKPOINT');
  return (await loadOrders({ url: stack.apiUrl, wallets, connections: 64, durationMs: 4_000 })).perSecond;
}

/** All orders as CSV. */
async function timeCsv(): Promise<{ perSecond: number; megabytes: number; atRest: number }> {
  const atRest = residentMb(child);
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, residentMb(child))), 50);
  const { lines, ms } = await asking.stream('/api/orders.csv');
  clearInterval(timer);
  return { perSecond: (lines / ms) * 1_000, megabytes: round(peak - atRest, 0), atRest: round(atRest, 0) };
}
