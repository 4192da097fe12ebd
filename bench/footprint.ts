import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { freePort } from '../tools/local-stack/ports.js';
import { createCatalog } from './support/catalog.js';
import { median, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { orderBody } from './support/orders.js';
import { residentMb } from './support/resident.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// Memory of the API and the worker at rest and under load, and the time from the start of a production process to its
// readiness, compared with the start of Node alone. Goals: under 180 MB each under load; ready within 1 s.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const LOAD_MS = 20_000;
const OPEN_ORDER = `SELECT 1 FROM orders WHERE status IN ('pending', 'processing') LIMIT 1`;

const stack = await startStack();
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 20);
const worker = await stack.startWorker();
await delay(3_000);
const atRest = { api: residentMb(stack.api), worker: residentMb(worker) };
const peak = { api: 0, worker: 0 };
const watch = setInterval(() => {
  peak.api = Math.max(peak.api, residentMb(stack.api));
  peak.worker = Math.max(peak.worker, residentMb(worker));
}, 200);
const run = randomBytes(6).toString('hex');
let n = 0;
await load({
  url: stack.apiUrl,
  connections: 64,
  durationMs: LOAD_MS,
  next: () => httpRequest('/v1/orders', wallets[n % 20]?.key ?? '', orderBody(`${run}-${n++}`)),
});
clearInterval(watch);
// Open work must not share the machine with the next measurement.
while ((await stack.database.query(OPEN_ORDER)).rowCount) await delay(200);

const starts: Record<string, number>[] = [];
for (let round_ = 0; round_ < ROUNDS; round_++) {
  const bare = await timeBareNode();
  const port = await freePort();
  const startedMs = performance.now();
  const api = await stack.startApi(port, 10);
  starts.push({ 'ready, s': (performance.now() - startedMs) / 1_000, 'node alone, s': bare });
  api.kill('SIGTERM');
  await once(api, 'exit');
}
report(
  'footprint',
  starts.map((each) => Object.fromEntries(Object.entries(each).map(([name, s]) => [name, round(s, 2)]))),
  {
    'API at rest, MB': round(atRest.api),
    'API under load, MB (goal 180)': round(peak.api),
    'worker at rest, MB': round(atRest.worker),
    'worker under load, MB (goal 180)': round(peak.worker),
    'start to ready, s (goal 1)': round(median(starts.map((each) => each['ready, s'] ?? NaN)), 2),
    'Node alone, s': round(median(starts.map((each) => each['node alone, s'] ?? NaN)), 2),
  },
);
supplier.disconnect();
await stack.stop();
process.exit(0);

async function timeBareNode(): Promise<number> {
  const startedMs = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return (performance.now() - startedMs) / 1_000;
}
