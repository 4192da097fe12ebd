import { spawnSync } from 'node:child_process';
import { createNaive } from './peers/naive-schema.js';
import { createCatalog, SKU } from './support/catalog.js';
import { startHelper } from './support/child.js';
import { median, report, round } from './support/figures.js';
import { loadOrders } from './support/orders.js';
import { startStack } from './support/stack.js';
import { createWallets, type Wallet } from './support/wallets.js';

// Orders accepted per second by one API process, over a thousand wallets and over one. Compared with the usual way to
// write it (Express, pg, a transaction for each order, Bull) over the same wallets, the service's own route without an order,
// and pgbench's TPC-B, prepared, on the same cluster. Client, servers and PostgreSQL share the machine; fsync is on.
// Goals: 4 x the usual way spread, 10 x hot; hot at least as fast as spread; 0.8 of the no-op route; 1.0 of TPC-B.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 3_000;
const CONNECTIONS = 128;
const WALLETS = 1_000;

const stack = await startStack();
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await createNaive(stack.database, SKU);
const naive = await startHelper('peers/naive-api', {
  DATABASE_URL: stack.databaseUrl,
  REDIS_URL: stack.redisUrl,
  NODE_ENV: 'production',
});
const noop = await startHelper('peers/noop-api', stack.environment);
const tpcb = prepareTpcb();

const hot = wallets.slice(0, 1);
const variants: Record<string, () => Promise<number>> = {
  spread: () => orders(stack.apiUrl, wallets),
  hot: () => orders(stack.apiUrl, hot),
  'naive spread': () => orders(naive.url, wallets),
  'naive hot': () => orders(naive.url, hot),
  'no-op route': () => orders(noop.url, hot),
  ...(tpcb && { 'TPC-B': () => Promise.resolve(tpcb()) }),
};

for (const measure of Object.values(variants)) await measure();
const rounds: Record<string, number>[] = [];
let synced = 0;
let accepted = 0;
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  for (const [name, measure] of Object.entries(variants)) {
    await settle();
    const before = await syncs();
    figures[name] = round(await measure(), 0);
    if (name === 'spread' || name === 'hot') {
      synced += (await syncs()) - before;
      accepted += ((figures[name] ?? 0) * DURATION_MS) / 1_000;
    }
  }
  rounds.push(figures);
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
const ratio = (name: string, to: string): number =>
  round(median(rounds.map((figures) => (figures[name] ?? NaN) / (figures[to] ?? NaN))), 2);
report('intake', rounds, {
  'orders/s spread': of('spread'),
  'orders/s hot': of('hot'),
  'spread / naive spread (goal 4)': ratio('spread', 'naive spread'),
  'hot / naive hot (goal 10)': ratio('hot', 'naive hot'),
  'hot / spread (goal 1)': ratio('hot', 'spread'),
  'spread / no-op route (goal 0.8)': ratio('spread', 'no-op route'),
  'hot / no-op route': ratio('hot', 'no-op route'),
  ...(tpcb && { 'spread / TPC-B (goal 1)': ratio('spread', 'TPC-B') }),
  'WAL syncs per order': round(synced / accepted, 3),
});
supplier.disconnect();
naive.child.disconnect();
noop.child.disconnect();
await stack.stop();
process.exit(0);

async function orders(url: string, from: Wallet[]): Promise<number> {
  const asked = { url, wallets: from, connections: CONNECTIONS, durationMs: DURATION_MS };
  return (await loadOrders(asked)).perSecond;
}

/** Makes a checkpoint, so that earlier writes cause none during the next measurement. */
async function settle(): Promise<void> {
  await stack.database.query('CHECKPOINT');
}

async function syncs(): Promise<number> {
  const { rows } = await stack.database.query<{ syncs: string }>(
    `SELECT sum(fsyncs) AS syncs FROM pg_stat_io WHERE object = 'wal'`,
  );
  return Number(rows[0]?.syncs);
}

/** @returns a function that runs pgbench's TPC-B for a while and returns its transactions per second; none without pgbench. */
function prepareTpcb(): (() => number) | undefined {
  const run = (...args: string[]): string | undefined => {
    const { status, stdout } = spawnSync('pgbench', [...args, stack.databaseUrl], { encoding: 'utf8' });
    return status === 0 ? stdout : undefined;
  };
  if (run('-i', '-q', '-s', '50') === undefined) {
    console.log('pgbench is not here (Debian: apt-get install postgresql-contrib): TPC-B is left out');
    return undefined;
  }
  const seconds = String(DURATION_MS / 1_000);
  return () =>
    Number(/tps = ([\d.]+)/.exec(run('-n', '-M', 'prepared', '-c', '16', '-j', '2', '-T', seconds) ?? '')?.[1]);
}
