import { planOf } from '../tools/statements/plan.js';
import { audit, timed } from './support/audits.js';
import { setChannels } from './support/deposits.js';
import { fillWithPayments } from './support/filling-payments.js';
import { median, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The audit of BENCH_PAYMENTS payments of a year, with their deposits and the lines of statements, and of nothing else: with all months
// open, and with the earlier months closed. Goal: 1 million in at most 20 s.

const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const WALLETS = 200;
const CHANNELS = 4;

const stack = await startStack({ MONTH_CLOSE_AFTER_DAYS: '0' }, { max_wal_size: '4GB', shared_buffers: '1GB' });
await setChannels(stack, planOf({ seed: '1', payments: 3_000, dialect: 'kbiz' }).channels.slice(0, CHANNELS));
const wallets = await createWallets(stack.database, WALLETS);
await fillWithPayments(stack.database, wallets, PAYMENTS);
await stack.database.query('VACUUM (ANALYZE)');

const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) rounds.push({ seconds: round((await timed(() => audit(stack))).seconds, 2) });
const seconds = median(rounds.map((each) => each.seconds ?? NaN));
const closing = await timed(() => stack.topup<{ closed: object[] }>('month', 'close'));
const closed = await timed(() => audit(stack));
report('deposits-audit', rounds, {
  payments: PAYMENTS,
  'audit of all, s (goal 20 for 1,000,000)': round(seconds, 1),
  'payments/s': round(PAYMENTS / seconds, 0),
  'months closed': closing.answer.closed.length,
  'audit with months closed, s': round(closed.seconds, 1),
});
await stack.stop();
process.exit(0);
