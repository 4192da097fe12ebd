import { setTimeout as delay } from 'node:timers/promises';
import { median, percentile, report, round } from './support/figures.js';
import { ReceiverProcess } from './support/receiver-process.js';
import { createMerchant, startStack } from './support/stack.js';
import { addDeliveries, registerWebhook } from './support/webhooks.js';

// p95 from the request of a test event to its arrival at a healthy endpoint, alone and beside a hanging and a failing
// endpoint of another merchant with a backlog each, in alternating rounds. Goal: ratio at most 1.5.

const ROUNDS = 5;
const EVENTS = 400;
const PACE_MS = 15;
const BACKLOG = 300;

const stack = await startStack();
const receiver = await ReceiverProcess.start();
const [healthy, neighbour] = [await createMerchant(stack), await createMerchant(stack)];
const target = await registerWebhook(stack, healthy.key, `${receiver.url}/ok`);
const retries = { max_retries: 10, retry_delay: 1 };
const hanging = await registerWebhook(stack, neighbour.key, `${receiver.url}/hang`, retries);
const failing = await registerWebhook(stack, neighbour.key, `${receiver.url}/fail`, retries);
await stack.startWorker();
await measure();

const rounds: { alone: number; beside: number; ratio: number }[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const alone = await measure();
  await fillBacklog();
  const beside = await measure();
  await emptyBacklog();
  rounds.push({ alone: round(alone), beside: round(beside), ratio: round(beside / alone, 2) });
}
const of = (name: 'alone' | 'beside' | 'ratio'): number => median(rounds.map((each) => each[name]));
report('webhook-isolation', rounds, {
  'p95 alone, ms': of('alone'),
  'p95 beside, ms': of('beside'),
  ratio: of('ratio'),
  goal: 'ratio at most 1.5',
});
receiver.stop();
await stack.stop();
process.exit(0);

/** @returns the event's id. */
async function requestTestEvent(): Promise<string> {
  const response = await fetch(`${stack.apiUrl}/v1/merchant-webhooks/${target}/test`, {
    method: 'POST',
    headers: { 'x-api-key': healthy.key, 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await response.json()) as { event_id: string }).event_id;
}

/** The 95th percentile in milliseconds of events at an even pace. */
async function measure(): Promise<number> {
  const sent = new Map<string, number>();
  const arrived = receiver.collect(EVENTS);
  const requests: Promise<void>[] = [];
  for (let n = 0; n < EVENTS; n++) {
    const at = performance.timeOrigin + performance.now();
    requests.push(requestTestEvent().then((id) => void sent.set(id, at)));
    await delay(PACE_MS);
  }
  const arrivals = await arrived;
  await Promise.all(requests);
  return percentile(
    arrivals.map(({ id, at }) => at - (sent.get(id) ?? at)),
    0.95,
  );
}

async function fillBacklog(): Promise<void> {
  for (const webhook of [hanging, failing]) await addDeliveries(stack.database, neighbour.id, [webhook], BACKLOG, '{}');
  // Once some are in flight, the worker has claimed them.
  for (;;) {
    const { rows } = await stack.database.query(
      'SELECT 1 FROM webhook_deliveries WHERE leased_until IS NOT NULL LIMIT 1',
    );
    if (rows.length > 0) return;
    await delay(50);
  }
}

/** Ends the neighbours' waiting deliveries, and waits for those in flight. */
async function emptyBacklog(): Promise<void> {
  await stack.database.query(
    `UPDATE webhook_deliveries SET status = 'cancelled', due_at = NULL WHERE webhook_id = ANY($1) AND due_at IS NOT NULL`,
    [[hanging, failing]],
  );
  for (;;) {
    const { rows } = await stack.database.query(
      `UPDATE webhook_deliveries SET automatic = false WHERE webhook_id = ANY($1) AND leased_until IS NOT NULL RETURNING 1`,
      [[hanging, failing]],
    );
    if (rows.length === 0) return;
    await delay(500);
  }
}
