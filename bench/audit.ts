import { audit, timed } from './support/audits.js';
import { fillBooks } from './support/books.js';
import { createCatalog } from './support/catalog.js';
import { addInactiveWebhooks } from './support/filling.js';
import { median, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The audit of BENCH_ORDERS completed and delivered orders, one every five seconds, BENCH_OPEN of them in this month. It times the
// audit of all, the closing of the months before, and the audit of what is left after it. Goal: then 5 million in at most 10 s.

const ORDERS = Number(process.env.BENCH_ORDERS ?? 1_000_000);
const OPEN = Number(process.env.BENCH_OPEN ?? 100_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WALLETS = 200;

const stack = await startStack(
  { WEBHOOK_LOG_DAYS: '0', MONTH_CLOSE_AFTER_DAYS: '0' },
  { max_wal_size: '4GB', shared_buffers: '1GB' },
);
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await addInactiveWebhooks(stack.database, wallets);
await fillBooks(stack.database, wallets, { count: ORDERS, open: OPEN });
await stack.database.query('VACUUM (ANALYZE)');

const full = await timed(() => audit(stack));
const closing = await timed(() => stack.topup<{ closed: object[] }>('month', 'close'));
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const { seconds, answer } = await timed(() => audit(stack));
  rounds.push({ seconds: round(seconds, 2), 'orders read': answer.checked.orders });
}
const [{ 'orders read': read = 0 } = {}] = rounds;
const seconds = median(rounds.map((each) => each.seconds ?? NaN));
// The time grows with the rows read, so the rate holds for other sizes.
report('audit', rounds, {
  goal: '5,000,000 orders in at most 10 s when months are closed',
  orders: ORDERS,
  'months closed': closing.answer.closed.length,
  'orders behind them': read,
  'audit of all, s': round(full.seconds, 1),
  'closing all months, s': round(closing.seconds, 1),
  'audit with months closed, s': round(seconds, 1),
  'orders/s, all': round(ORDERS / full.seconds, 0),
});
supplier.disconnect();
await stack.stop();
process.exit(0);
