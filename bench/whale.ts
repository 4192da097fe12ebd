import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog, SKU } from './support/catalog.js';
import { median, percentile, report, round } from './support/figures.js';
import { startStack } from './support/stack.js';
import { createWallets, type Wallet } from './support/wallets.js';

// One merchant queues a hundred times its share at a supplier of 10 slots that takes 200 ms for each call. Another orders
// single units meanwhile: the time from POST to completed, without and with the whale. And units a second of a queue of 50 merchants at
// a supplier that answers at once, with 10 slots, so that each claim shares.
// Goals: p99 with the whale at most 1.3 times p99 alone and one call more; the queue is bought as fast as by the version before.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SLOTS = 10;
const CALL_MS = 200;
const WHALE_UNITS = 2_000;
const ORDERS = 30;
const CROWD = 50;
const CROWD_UNITS = 100;
const UNITS_OF_ORDER = 100;
const POLL_MS = 5;

const stack = await startStack({ SUPPLIER_MAX_IN_FLIGHT: String(SLOTS) });
const supplier = await createCatalog(stack);
const [whale, small, ...crowd] = (await createWallets(stack.database, CROWD + 2)) as [Wallet, Wallet, ...Wallet[]];
let count = 0;

await buyCrowd();
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const perSecond = await buyCrowd();
  const worker = await stack.startWorker();
  await timeOrders(5);
  const alone = await timeOrders(ORDERS);
  await queue(whale, WHALE_UNITS, CALL_MS);
  const beside = await timeOrders(ORDERS);
  const left = await openUnits();
  // The whale's calls need not end for the next round.
  await endWorker(worker);
  await clearQueue();
  if (left < WHALE_UNITS / 4) throw new Error('the whale was bought too early: queue more units');
  const [one, other] = [percentile(alone, 0.99), percentile(beside, 0.99)];
  rounds.push({
    'alone p50, ms': round(median(alone), 0),
    'alone p99, ms': round(one, 0),
    'beside the whale p50, ms': round(median(beside), 0),
    'beside the whale p99, ms': round(other, 0),
    'p99 less one call / alone': round((other - CALL_MS) / one, 2),
    'crowd, units/s': round(perSecond, 0),
  });
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
report('whale', rounds, {
  'alone p99, ms': of('alone p99, ms'),
  'beside the whale p99, ms': of('beside the whale p99, ms'),
  'p99 less one call / alone (goal 1.3)': of('p99 less one call / alone'),
  'crowd, units/s (goal 0.97 of the version before)': of('crowd, units/s'),
});
supplier.disconnect();
await stack.stop();
process.exit(0);

async function place({ key }: Wallet, quantity: number, callMs: number): Promise<string> {
  const reference = `whale-${++count}`;
  const response = await fetch(`${stack.apiUrl}/v1/orders`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      reference_id: reference,
      user_id: callMs > 0 ? `slow-${callMs}` : 'player-1',
      items: [{ sku: SKU, quantity }],
    }),
  });
  if (!response.ok) throw new Error(`the order was answered with ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  return reference;
}

async function queue(wallet: Wallet, units: number, callMs: number): Promise<void> {
  for (let left = units; left > 0; left -= UNITS_OF_ORDER) await place(wallet, Math.min(left, UNITS_OF_ORDER), callMs);
}

/** Milliseconds from POST to completed of single units, one order at a time. */
async function timeOrders(orders: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < orders; n++) {
    const startedMs = performance.now();
    const reference = await place(small, 1, CALL_MS);
    while (!(await isCompleted(reference))) await delay(POLL_MS);
    times.push(performance.now() - startedMs);
  }
  return times;
}

async function isCompleted(reference: string): Promise<boolean> {
  const headers = { 'x-api-key': small.key };
  const response = await fetch(`${stack.apiUrl}/v1/orders/${reference}`, { headers });
  return ((await response.json()) as { status: string }).status === 'completed';
}

async function openUnits(): Promise<number> {
  const { rows } = await stack.database.query<{ count: string }>(
    'SELECT count(*) FROM order_units WHERE next_action_at IS NOT NULL',
  );
  return Number(rows[0]?.count);
}

/** Units a second that a worker buys of a queue of many merchants. */
async function buyCrowd(): Promise<number> {
  for (const wallet of crowd) await queue(wallet, CROWD_UNITS, 0);
  const worker = await stack.startWorker();
  const whole = CROWD * CROWD_UNITS;
  // From the first purchases on, so that the start of the worker does not count.
  while ((await openUnits()) > 0.9 * whole) await delay(POLL_MS);
  const [from, startedMs] = [await openUnits(), performance.now()];
  while ((await openUnits()) > 0.1 * whole) await delay(POLL_MS);
  const perSecond = ((from - (await openUnits())) / (performance.now() - startedMs)) * 1_000;
  while ((await openUnits()) > 0) await delay(POLL_MS);
  await endWorker(worker);
  return perSecond;
}

async function endWorker(worker: Awaited<ReturnType<typeof stack.startWorker>>): Promise<void> {
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}

/** Takes the whale's units out of the queue. Its orders stay open. */
async function clearQueue(): Promise<void> {
  await stack.database.query(
    `UPDATE order_units SET state = 'review', next_action_at = NULL, claimed_by = NULL WHERE next_action_at IS NOT NULL`,
  );
}
