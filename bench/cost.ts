import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../tools/local-stack/ports.js';
import { createCatalog } from './support/catalog.js';
import { median, report, round } from './support/figures.js';
import { METERED, Meter, OWN, type Cpu, type Shared, type Writes } from './support/meter.js';
import { loadOrders } from './support/orders.js';
import { ReceiverProcess } from './support/receiver-process.js';
import { startStack, untilReady } from './support/stack.js';
import { createWallets } from './support/wallets.js';
import { registerWebhook } from './support/webhooks.js';

// What one order costs: CPU microseconds by process, and what PostgreSQL writes and executes for it, which does not depend on
// the machine. Three kinds: accepted only, with nothing behind it; from POST to the webhook received, at saturation; and the
// same one order after the other, so that nothing is written together.
//   npm run bench -- cost [--lone]     `--lone` measures the last kind only, and prints it as JSON

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const ORDERS = Number(process.env.BENCH_ORDERS ?? 5_000);
const LONE_ORDERS = 100;
const CONNECTIONS = 64;
const MERCHANTS = 20;

const { values: options } = parseArgs({ options: { lone: { type: 'boolean', default: false } } });
const [apiPort, workerPort] = [await freePort(), await freePort()];
const stack = await startStack({ MANAGEMENT_PORT: String(apiPort) }, METERED);
const receiver = await ReceiverProcess.start();
const supplier = await createCatalog(stack);
const merchants = await createWallets(stack.database, MERCHANTS);
for (const { key } of merchants) await registerWebhook(stack, key, `${receiver.url}/ok`);

type Figures = { cpu: Cpu; writes: Writes; shared: Shared };
const kinds: Record<string, Figures[]> = options.lone ? { lone: await lone() } : await all();
await end();
if (options.lone) console.log(JSON.stringify(figuresOf('lone', kinds.lone ?? [])));
else reportAll();
process.exit(0);

async function all(): Promise<Record<string, Figures[]>> {
  const { worker, meter } = await startMeteredWorker();
  const endToEnd = await rounds(() => throughput(meter));
  const lonely = await rounds(() => oneByOne(meter));
  worker.kill('SIGSTOP');
  const ofApi = await Meter.create(stack, worker.pid ?? 0, [apiPort]);
  const intake = await rounds(() => accepted(ofApi));
  worker.kill('SIGCONT');
  return { intake, 'end to end': endToEnd, lone: lonely };
}

async function lone(): Promise<Figures[]> {
  const { meter } = await startMeteredWorker();
  return rounds(() => oneByOne(meter));
}

async function startMeteredWorker(): Promise<{ worker: ChildProcess; meter: Meter }> {
  const worker = await stack.startWorker({ MANAGEMENT_PORT: String(workerPort) });
  await untilReady(`http://127.0.0.1:${workerPort}`, worker, 50);
  return { worker, meter: await Meter.create(stack, worker.pid ?? 0, [apiPort, workerPort]) };
}

/** Measures ROUNDS times, after a first time that compiles the code and fills the caches. */
async function rounds(measure: () => Promise<Figures>): Promise<Figures[]> {
  await measure();
  const figures: Figures[] = [];
  for (let n = 0; n < ROUNDS; n++) figures.push(await measure());
  return figures;
}

async function place(count: number): Promise<void> {
  await loadOrders({ url: stack.apiUrl, wallets: merchants, connections: Math.min(CONNECTIONS, count), count });
}

async function accepted(meter: Meter): Promise<Figures> {
  const since = await meter.start();
  await place(ORDERS);
  return meter.stop(since, ORDERS);
}

async function throughput(meter: Meter): Promise<Figures> {
  const since = await meter.start();
  const arrivals = receiver.collect(ORDERS);
  await place(ORDERS);
  await arrivals;
  await untilRecorded();
  return meter.stop(since, ORDERS);
}

async function oneByOne(meter: Meter): Promise<Figures> {
  const since = await meter.start();
  for (let n = 0; n < LONE_ORDERS; n++) {
    const arrival = receiver.collect(1);
    await place(1);
    await arrival;
    await untilRecorded();
  }
  return meter.stop(since, LONE_ORDERS, true);
}

/** Until every delivery that arrived is recorded as delivered. */
async function untilRecorded(): Promise<void> {
  const open = `${OWN} SELECT FROM webhook_deliveries WHERE due_at IS NOT NULL LIMIT 1`;
  while ((await stack.database.query(open)).rows.length > 0) await delay(2);
}

async function end(): Promise<void> {
  receiver.stop();
  supplier.disconnect();
  await stack.stop();
}

function reportAll(): void {
  const measured = Object.entries(kinds).flatMap(([kind, figures]) =>
    figures.map(({ cpu, writes, shared }) => ({ kind, ...rounded(cpu), ...rounded(writes), ...rounded(shared) })),
  );
  const result = Object.entries(kinds).map(([kind, figures]) => figuresOf(kind, figures));
  report('cost', measured, Object.assign({}, ...result) as Record<string, number>);
}

/** The median of the rounds; one after the other the least, since chance only adds to what an order must have. */
function figuresOf(kind: string, figures: Figures[]): Record<string, number> {
  const of = (read: (each: Figures) => number): number =>
    round(kind === 'lone' ? Math.min(...figures.map(read)) : median(figures.map(read)), 2);
  const counts = Object.keys(figures[0]?.writes ?? {}) as (keyof Writes)[];
  const written = counts.map((name) => [`${kind}: ${name}`, of(({ writes }) => writes[name])] as const);
  // One after the other, most CPU is spent on waiting.
  if (kind === 'lone') return Object.fromEntries(written);
  const names = Object.keys(figures[0]?.cpu ?? {}) as (keyof Cpu)[];
  const all = of(({ cpu }) => names.reduce((sum, name) => sum + cpu[name], 0));
  const spent = names.map((name) => [`${kind}: ${name}, µs`, of(({ cpu }) => cpu[name])] as const);
  const together = Object.keys(figures[0]?.shared ?? {}) as (keyof Shared)[];
  const gathered = together.map((name) => [`${kind}: ${name}`, of(({ shared }) => shared[name])] as const);
  return Object.fromEntries([[`${kind}: CPU, µs`, all], ...spent, ...written, ...gathered]);
}

function rounded(figures: Cpu | Writes | Shared): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, round(value as number, 2)]));
}
