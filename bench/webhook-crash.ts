import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { report, round } from './support/figures.js';
import { ReceiverProcess } from './support/receiver-process.js';
import { createMerchant, startStack } from './support/stack.js';
import { addDeliveries, registerWebhook } from './support/webhooks.js';

// 200 pending deliveries, while Redis loses all data and the worker is killed in the middle. The receiver takes 50 ms for each, so
// that some are in flight when the worker dies.

const COUNT = 200;
const KILL_AFTER = 60;

const stack = await startStack();
const receiver = await ReceiverProcess.start();
const merchant = await createMerchant(stack);
const webhook = await registerWebhook(stack, merchant.key, `${receiver.url}/slow`, { retry_delay: 1 });
const arrivals: { id: string; at: number }[] = [];
let killed: Promise<unknown> | undefined;
const worker = await stack.startWorker();
receiver.onArrival((arrival) => {
  arrivals.push(arrival);
  if (arrivals.length === KILL_AFTER) killed = killEverything();
});

await addDeliveries(stack.database, merchant.id, [webhook], COUNT, '{}');
while (!killed) await delay(10);
await killed;
const killedAt = performance.timeOrigin + performance.now();
const before = new Set(arrivals.map(({ id }) => id)).size;
await stack.startWorker();
for (;;) {
  const { rows } = await stack.database.query<{ left: number }>(
    `SELECT count(*)::int AS left FROM webhook_deliveries WHERE status = 'pending'`,
  );
  if (rows[0]?.left === 0) break;
  await delay(100);
}
const { rows } = await stack.database.query(
  `SELECT (SELECT count(*)::int FROM webhook_deliveries WHERE status = 'succeeded') AS succeeded,
          (SELECT count(*)::int FROM webhook_attempts WHERE error = 'interrupted') AS interrupted`,
);
const received = new Set(arrivals.map(({ id }) => id));
report('webhook-crash', rows as { succeeded: number; interrupted: number }[], {
  'deliveries pending': COUNT,
  'received before the kill': before,
  'received at last': received.size,
  'received twice': arrivals.length - received.size,
  'seconds from the kill to the last': round((Math.max(...arrivals.map(({ at }) => at)) - killedAt) / 1000),
  goal: 'all received; twice only what was in flight at the kill',
});
receiver.stop();
await stack.stop();
process.exit(0);

async function killEverything(): Promise<void> {
  const redis = new Redis(stack.redisUrl);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await redis.flushall();
  redis.disconnect();
}
