import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileOf, type Line } from '../tools/statements/dialects.js';
import { planOf } from '../tools/statements/plan.js';
import { audit, timed } from './support/audits.js';
import { createCatalog } from './support/catalog.js';
import { NO_LIMITS, setChannels } from './support/deposits.js';
import { median, percentile, report, round } from './support/figures.js';
import { CALLBACKS, OpnProcess } from './support/opn-process.js';
import { httpRequest, load } from './support/load.js';
import { cpuOf } from './support/meter.js';
import { loadOrders } from './support/orders.js';
import { atPace } from './support/pace.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// Orders accepted per second by one API process without anything else, with 20 bookings a second by a vendor's callbacks, with an
// import of a statement of BENCH_LINES payments that begins with the turn, and with both, by turns of BENCH_SECONDS. The import works as
// fast as it can and takes processor time, too. So the result also has the CPU of the API for an order, and the share of moments at which
// a session waited for a wallet. The worker buys one unit in five seconds, so that it only books. Everything shares the machine; fsync
// is on. Orders that are placed as fast as possible take all processors, and bookings and imports take their part of these. So at last
// orders come at half of that rate, as on a machine with processors to spare. Goal, of both: 0.97 of without.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
const LINES = Number(process.env.BENCH_LINES ?? 10_000);
const BOOKINGS_PER_SECOND = 20;
const CONNECTIONS = 128;
const WALLETS = 1_000;
const VARIANTS = {
  without: { books: false, imports: false },
  bookings: { books: true, imports: false },
  import: { books: false, imports: true },
  both: { books: true, imports: true },
};
type Variant = keyof typeof VARIANTS;

const stack = await startStack({ ...NO_LIMITS, ...CALLBACKS, SUPPLIER_MAX_IN_FLIGHT: '1' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, WALLETS);
await stack.startWorker();
const opn = await OpnProcess.open(stack);
const directory = mkdtempSync(path.join(tmpdir(), 'topup-statements-'));
const accounts = planOf({ seed: '1', payments: 3 * ROUNDS * 1_000, dialect: 'bill' }).channels.values();

const orders = { url: stack.apiUrl, wallets, connections: CONNECTIONS, userId: 'slow-5000' };
await loadOrders({ ...orders, durationMs: 3_000 });
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  const names = Object.keys(VARIANTS) as Variant[];
  // What orders leave behind slows down no variant more than another.
  for (const name of n % 2 === 0 ? names : names.toReversed()) Object.assign(figures, await measure(name));
  rounds.push(figures);
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
const half = of('without') / 2;
const atHalf: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const names: Variant[] = n % 2 === 0 ? ['without', 'both'] : ['both', 'without'];
  for (const name of names) atHalf.push(await measure(name, half));
}
const accepted = (name: string): number => round(median(atHalf.flatMap((figures) => figures[name] ?? [])) / half, 3);
const times = (name: string, which: string): number =>
  round(median(atHalf.flatMap((figures) => figures[`${name}: ${which}`] ?? [])));
const ratio = (name: string, to: string): number =>
  round(median(rounds.map((figures) => (figures[name] ?? NaN) / (figures[to] ?? NaN))), 3);
await audit(stack);
report('deposits-intake', [...rounds, ...atHalf], {
  'orders/s without': of('without'),
  'with bookings / without': ratio('bookings', 'without'),
  'with an import / without': ratio('import', 'without'),
  'with both / without (goal 0.97)': ratio('both', 'without'),
  'CPU of the API for an order, with both / without': ratio('both: API µs', 'without: API µs'),
  'moments with a wait for a wallet, without': of('without: waits'),
  'moments with a wait for a wallet, with both': of('both: waits'),
  'bookings/s with both': of('both: bookings/s'),
  'lines/s with both': of('both: lines/s'),
  'seconds of the import, of a turn': `${of('both: import, s')} of ${SECONDS}`,
  'orders/s at half of that rate': round(half, 0),
  'accepted of these without': accepted('without'),
  'accepted of these with both (goal 0.97)': accepted('both'),
  'p50 and p99 of these without, ms': `${times('without', 'p50')} ${times('without', 'p99')}`,
  'p50 and p99 of these with both, ms': `${times('both', 'p50')} ${times('both', 'p99')}`,
});
rmSync(directory, { recursive: true });
supplier.disconnect();
opn.close();
await stack.stop();
process.exit(0);

/** Measures one turn. @param offered orders a second; absent for as many as are accepted. */
async function measure(name: Variant, offered?: number): Promise<Record<string, number>> {
  const { books, imports } = VARIANTS[name];
  const statement = imports ? await makeStatement() : null;
  const deposits = books ? await opn.makeDeposits(wallets, BOOKINGS_PER_SECOND * SECONDS) : [];
  for (const deposit of deposits) await opn.pay(deposit);
  await stack.database.query('CHECKPOINT');
  const before = { ...(await countPayments()), cpu: cpuOf(stack.api.pid ?? 0) };
  const importing = statement && timed(() => stack.topup('statement', 'import', ...statement));
  const booking = atPace(BOOKINGS_PER_SECOND, deposits, (deposit) => opn.callBack(deposit));
  const waiting = shareOfWaits(SECONDS * 1_000);
  const { perSecond, times } = await loadOrders({ ...orders, durationMs: SECONDS * 1_000, perSecond: offered });
  const after = { ...(await countPayments()), cpu: cpuOf(stack.api.pid ?? 0) };
  const [imported] = await Promise.all([importing, booking]);
  for (const deposit of deposits) await opn.untilPaid(deposit);
  return {
    [name]: round(perSecond, 0),
    ...(offered && {
      [`${name}: p50`]: round(percentile(times, 0.5)),
      [`${name}: p99`]: round(percentile(times, 0.99)),
    }),
    [`${name}: API µs`]: round((after.cpu - before.cpu) / (perSecond * SECONDS)),
    [`${name}: waits`]: round(await waiting, 2),
    ...(books && { [`${name}: bookings/s`]: round((after.charges - before.charges) / SECONDS) }),
    ...(imports && { [`${name}: lines/s`]: round((after.lines - before.lines) / SECONDS, 0) }),
    ...(imported && { [`${name}: import, s`]: round(imported.seconds) }),
  };
}

/** The share of moments at which a session waits for a wallet, as orders do while a booking locks theirs. */
async function shareOfWaits(durationMs: number): Promise<number> {
  const [stopMs, waits] = [performance.now() + durationMs, [] as boolean[]];
  while (performance.now() < stopMs) {
    const { rowCount } = await stack.database.query(
      `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%wallets%' LIMIT 1`,
    );
    waits.push(rowCount !== 0);
    await delay(20);
  }
  return waits.filter(Boolean).length / waits.length;
}

async function countPayments(): Promise<{ charges: number; lines: number }> {
  const { rows } = await stack.database.query<{ charges: number; lines: number }>(
    `SELECT count(charge_ref)::int AS charges, count(line_id)::int AS lines FROM incoming_payments WHERE state = 'booked'`,
  );
  return rows[0] ?? { charges: 0, lines: 0 };
}

/** Makes deposits at an account of their own, and its statement in which all are paid. @returns arguments of the import */
async function makeStatement(): Promise<string[]> {
  const channel = accounts.next().value;
  if (!channel) throw new Error('the plan has too few accounts');
  const { code } = channel;
  await setChannels(stack, [channel]);
  let n = 0;
  const next = (): string => {
    const body = { reference_id: `${code}-${n}`, amount: '1000.00', channel: code };
    return httpRequest('/v1/deposits', wallets[n++ % WALLETS]?.key ?? '', JSON.stringify(body));
  };
  await load({ url: stack.apiUrl, connections: 16, count: LINES, next });
  const { rows } = await stack.database.query<{ reference: string; amount: string }>(
    `SELECT reference, amount_to_pay AS amount FROM deposits WHERE channel_id = (SELECT id FROM deposit_channels WHERE code = $1)`,
    [code],
  );
  const atMs = Date.now();
  let balance = 0;
  const lines = rows.map(({ reference, amount: text }): Line => {
    const amount = Number(text);
    const shown = { atMs, text: 'Transfer', details: 'X1234', kind: 'exact', deposit: null } as const;
    return { ...shown, amount, reference, balance: (balance += amount) };
  });
  const file = path.join(directory, `${code}.csv`);
  writeFileSync(file, fileOf('bill', lines, 0, 0));
  return [file, '--channel', code];
}
