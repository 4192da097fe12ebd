import { once } from 'node:events';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks, addOrders } from './support/filling.js';
import { median, percentile, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { steadyLoad } from './support/steady-load.js';
import { createWallets } from './support/wallets.js';

// What merchants notice of old events being removed: the answers to orders at a steady load, in alternating rounds with
// a worker that removes nothing and with one that removes all the time. Goal: no more than the rounds differ anyway.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const ORDERS_PER_SECOND = 150;
const SECONDS = 10;
/** More than the rounds can remove. */
const OLD_ORDERS = ROUNDS * SECONDS * 6_000;

const stack = await startStack({}, { max_wal_size: '4GB' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 20);
const key = wallets[0]?.key ?? '';
await addInactiveWebhooks(stack.database, wallets);
await addOrders(stack.database, wallets, 0, OLD_ORDERS);
await stack.database.query('VACUUM (ANALYZE)');

await measure('0');
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const without = await measure('0');
  const during = await measure('30');
  if (during.removed === 0) throw new Error('nothing was removed');
  rounds.push({
    'p50 without, ms': without.p50,
    'p50 during, ms': during.p50,
    'p99 without, ms': without.p99,
    'p99 during, ms': during.p99,
    'p50 ratio': round(during.p50 / without.p50, 2),
    'p99 ratio': round(during.p99 / without.p99, 2),
    'removed/s': during.removed,
  });
}
const of = (name: string): number => round(median(rounds.map((each) => each[name] ?? NaN)), 2);
report('retention', rounds, {
  'events removed/s': of('removed/s'),
  'p50 during / without': of('p50 ratio'),
  'p99 during / without': of('p99 ratio'),
  goal: 'within what the rounds differ anyway',
});
supplier.disconnect();
await stack.stop();
process.exit(0);

/** @param days of WEBHOOK_LOG_DAYS: 0 removes nothing. */
async function measure(days: string): Promise<Record<'p50' | 'p99' | 'removed', number>> {
  const worker = await stack.startWorker({ WEBHOOK_LOG_DAYS: days });
  await steadyLoad({ url: stack.apiUrl, key, perSecond: ORDERS_PER_SECOND, seconds: 3 });
  const before = await oldEvents();
  const { times, accepted } = await steadyLoad({
    url: stack.apiUrl,
    key,
    perSecond: ORDERS_PER_SECOND,
    seconds: SECONDS,
  });
  if (accepted !== times.length) throw new Error('orders were refused');
  const removed = before - (await oldEvents());
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  return {
    p50: round(percentile(times, 0.5), 2),
    p99: round(percentile(times, 0.99), 2),
    removed: round(removed / SECONDS, 0),
  };
}

async function oldEvents(): Promise<number> {
  const { rows } = await stack.database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM events WHERE created_at < now() - interval '30 days'`,
  );
  return rows[0]?.count ?? 0;
}
