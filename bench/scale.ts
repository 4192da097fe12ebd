import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../tools/local-stack/ports.js';
import { createCatalog } from './support/catalog.js';
import { median, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { orderBody } from './support/orders.js';
import { startStack } from './support/stack.js';
import { createWallets, type Wallet } from './support/wallets.js';

// Orders accepted per second by one, two and four API processes, over a thousand wallets and over one, in alternating
// rounds, and whether the balances are right at the end, because the batches of the processes compete for the wallets' rows. The
// client and PostgreSQL share the machine, so more processes than cores only show that they do no harm.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 3_000;
const CONNECTIONS = 128;
const MOST = 4;
const COUNTS = [1, 2, MOST];

const stack = await startStack();
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 1_000);
const hot = wallets.slice(0, 1);
const urls = [stack.apiUrl];
const others: ChildProcess[] = [];
while (urls.length < MOST) {
  const port = await freePort();
  others.push(await stack.startApi(port));
  urls.push(`http://127.0.0.1:${port}`);
}

for (const from of [wallets, hot]) await orders(MOST, from);
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  for (const count of COUNTS) {
    figures[`${count} spread`] = round(await orders(count, wallets), 0);
    figures[`${count} hot`] = round(await orders(count, hot), 0);
  }
  rounds.push(figures);
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
const ratio = (name: string, to: string): number =>
  round(median(rounds.map((figures) => (figures[name] ?? NaN) / (figures[to] ?? NaN))), 2);
report('scale', rounds, {
  ...Object.fromEntries(COUNTS.flatMap((n) => [`${n} spread`, `${n} hot`]).map((name) => [name, of(name)])),
  '2 spread / 1': ratio('2 spread', '1 spread'),
  '2 hot / 1': ratio('2 hot', '1 hot'),
  '4 spread / 1': ratio('4 spread', '1 spread'),
  '4 hot / 1': ratio('4 hot', '1 hot'),
  'wallets out of balance': await wrongWallets(),
});
for (const api of others) api.kill('SIGTERM');
await Promise.all(others.map((api) => once(api, 'exit')));
supplier.disconnect();
await stack.stop();
process.exit(0);

/** All orders together, spread evenly over the first processes. */
async function orders(processes: number, from: Wallet[]): Promise<number> {
  await stack.database.query('CHECKPOINT');
  const run = randomBytes(6).toString('hex');
  let n = 0;
  const next = (): string => httpRequest('/v1/orders', from[n % from.length]?.key ?? '', orderBody(`${run}-${n++}`));
  const loads = urls
    .slice(0, processes)
    .map((url) => load({ url, connections: CONNECTIONS / processes, durationMs: DURATION_MS, next }));
  const results = await Promise.all(loads);
  for (const { statuses } of results)
    if (statuses.size !== 1 || !statuses.has(200)) throw new Error(`not only orders: ${[...statuses].join(' ')}`);
  return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

/** Wallets whose held balance differs from the price of their orders, of which none has been bought. */
async function wrongWallets(): Promise<number> {
  const { rows } = await stack.database.query<{ wrong: number }>(
    `SELECT count(*)::int AS wrong FROM wallets w
     LEFT JOIN (SELECT merchant_id, sum(total_amount) AS cost FROM orders GROUP BY 1) o USING (merchant_id)
     WHERE w.held <> coalesce(o.cost, 0) OR w.available + w.held <> 10000000000`,
  );
  return rows[0]?.wrong ?? NaN;
}
