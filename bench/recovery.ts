import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createCatalog } from './support/catalog.js';
import { median, report, round } from './support/figures.js';
import { orderBody } from './support/orders.js';
import { createMerchant, startStack } from './support/stack.js';

// Seconds from a fault to the end of all orders that were open then, under a steady load. Only what the fault stopped is
// restarted by hand. Each purchase takes 300 ms, so that some are in flight at every moment.
// Goals: 15 s after the SIGKILL of one of two workers, 10 s after FLUSHALL, 10 s after a crash of PostgreSQL.

const ROUNDS = 3;
const ORDERS_PER_SECOND = 40;
const USER = 'slow-300';

const stack = await startStack();
const supplier = await createCatalog(stack);
const merchant = await createMerchant(stack);
const workers = [await stack.startWorker(), await stack.startWorker()];

const FAULTS = {
  'kill worker': async () => {
    const worker = workers.shift();
    worker?.kill('SIGKILL');
    if (worker) await once(worker, 'exit');
  },
  flushall: async () => {
    const redis = new Redis(stack.redisUrl);
    await redis.flushall();
    redis.disconnect();
  },
  'crash postgresql': () => stack.crashPostgres(),
};
const GOALS = { 'kill worker': 15, flushall: 10, 'crash postgresql': 10 };

let loading = true;
const load = placeOrders();
await delay(5_000);
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  for (const [name, strike] of Object.entries(FAULTS)) {
    figures[name] = round(await timeToRecover(strike));
    if (workers.length < 2) workers.push(await stack.startWorker());
    // Other workers know a worker after its first heartbeats.
    await delay(10_000);
  }
  rounds.push(figures);
}
loading = false;
await load;
const result: Record<string, number | string> = {};
for (const name of Object.keys(FAULTS) as (keyof typeof FAULTS)[]) {
  result[`${name}, s`] = median(rounds.map((figures) => figures[name] ?? NaN));
  result[`${name}, goal`] = GOALS[name];
}
report('recovery', rounds, result);
supplier.disconnect();
await stack.stop();
process.exit(0);

async function placeOrders(): Promise<void> {
  while (loading) {
    void fetch(`${stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': merchant.key, 'content-type': 'application/json' },
      body: orderBody(randomBytes(12).toString('hex'), USER),
    }).then(
      (response) => response.arrayBuffer(),
      () => undefined,
    );
    await delay(1_000 / ORDERS_PER_SECOND);
  }
}

/** Seconds until all orders have ended that were open at the fault or arrived during it. */
async function timeToRecover(strike: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await strike();
  const struck = await query<{ id: string }>(`SELECT max(id) AS id FROM orders`);
  for (;;) {
    const open = await query(`SELECT 1 FROM orders WHERE status IN ('pending', 'processing') AND id <= $1 LIMIT 1`, [
      struck[0]?.id,
    ]);
    if (open.length === 0) return (performance.now() - startedMs) / 1_000;
    await delay(50);
  }
}

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  for (;;) {
    try {
      return (await stack.database.query<Row>(text, values)).rows;
    } catch {
      await delay(50);
    }
  }
}
