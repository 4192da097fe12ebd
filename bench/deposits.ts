import { MERCHANTS, planOf } from '../tools/statements/plan.js';
import { audit } from './support/audits.js';
import { NO_LIMITS, setChannels } from './support/deposits.js';
import { median, percentile, report, round } from './support/figures.js';
import { CALLBACKS, OpnProcess } from './support/opn-process.js';
import { httpRequest, load, type LoadOptions, type LoadResult } from './support/load.js';
import { cpuOf } from './support/meter.js';
import { atPace } from './support/pace.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// A vendor's callback until the deposit is spendable, 20 a second, where the vendor answers an inquiry after 200 ms. And deposits
// that merchants make at channels of PromptPay, one after another and as fast as possible. Each account has 1,000 of them, six of
// ten of a round amount. Everything shares the machine; fsync is on.
// Goals: spendable p50 under 1 s, p99 under 3 s; creation p50 under 15 ms, 500 a second.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Of each round: the bookings, and the creations as fast as possible. */
const BOOKING_S = Number(process.env.BENCH_SECONDS ?? 20);
const CREATING_S = Math.min(BOOKING_S, 3);
const BOOKINGS_PER_SECOND = 20;
const ALONE = 200;
const CONNECTIONS = 8;
/** More than any machine creates. */
const MAX_PER_SECOND = 2_000;

const stack = await startStack({ ...NO_LIMITS, ...CALLBACKS });
const wallets = await createWallets(stack.database, MERCHANTS);
await stack.startWorker();
const opn = await OpnProcess.open(stack);
const planned = planOf({
  seed: '1',
  payments: (ROUNDS + 1) * (ALONE + CREATING_S * MAX_PER_SECOND),
  dialect: 'plain',
});
await setChannels(stack, planned.channels);
const rest = planned.deposits.values();

let refused = 0;
await create({ connections: CONNECTIONS, count: ALONE });
const rounds: Record<string, number>[] = [];
const waits: number[] = [];
for (let n = 0; n < ROUNDS; n++) {
  await stack.database.query('CHECKPOINT');
  const alone = await create({ connections: 1, count: ALONE });
  const together = await create({ connections: CONNECTIONS, durationMs: CREATING_S * 1_000 });
  const deposits = await opn.makeDeposits(wallets, BOOKINGS_PER_SECOND * BOOKING_S);
  const spendable = await atPace(BOOKINGS_PER_SECOND, deposits, untilSpendable);
  waits.push(...spendable);
  rounds.push({
    'spendable p50, ms': round(percentile(spendable, 0.5), 0),
    'spendable p99, ms': round(percentile(spendable, 0.99), 0),
    'creation alone p50, ms': round(percentile(alone.times, 0.5)),
    'creations/s': round(together.perSecond, 0),
    'creation together p50, ms': round(percentile(together.times, 0.5)),
    'creation, CPU of the API, ms': round(together.cpuMs, 2),
  });
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
await audit(stack);
report('deposits', rounds, {
  'callback to spendable p50, ms (goal 1000)': round(percentile(waits, 0.5), 0),
  'callback to spendable p99, ms (goal 3000)': round(percentile(waits, 0.99), 0),
  'bookings measured': waits.length,
  'creation alone p50, ms (goal 15)': of('creation alone p50, ms'),
  'creations/s (goal 500)': of('creations/s'),
  'creation together p50, ms (goal 15)': of('creation together p50, ms'),
  'creation, CPU of the API, ms': of('creation, CPU of the API, ms'),
  'creations refused': refused,
});
opn.close();
await stack.stop();
process.exit(0);

/** @returns the milliseconds from the callback to the commit. */
async function untilSpendable(deposit: string): Promise<number> {
  await opn.pay(deposit);
  const startedMs = performance.now();
  await Promise.all([opn.callBack(deposit), opn.untilPaid(deposit)]);
  return performance.now() - startedMs;
}

/** Creates deposits of the plan. @returns also the CPU of the API for each. */
async function create(options: Omit<LoadOptions, 'url' | 'next'>): Promise<LoadResult & { cpuMs: number }> {
  const next = (): string => {
    const { value } = rest.next();
    if (!value) throw new Error('the plan has too few deposits');
    const { merchant, cancel: _, ...body } = value;
    return httpRequest('/v1/deposits', wallets[merchant - 1]?.key ?? '', JSON.stringify(body));
  };
  const beganUs = cpuOf(stack.api.pid ?? 0);
  const loaded = await load({ url: stack.apiUrl, next, ...options });
  const created = loaded.statuses.get(200) ?? 0;
  // An account may have no free amount near a frequent one.
  refused += loaded.statuses.get(503) ?? 0;
  if (created + (loaded.statuses.get(503) ?? 0) < loaded.times.length)
    throw new Error(`not only deposits: ${[...loaded.statuses].join(' ')}`);
  return { ...loaded, cpuMs: (cpuOf(stack.api.pid ?? 0) - beganUs) / 1_000 / loaded.times.length };
}
