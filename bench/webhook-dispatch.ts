import { randomBytes } from 'node:crypto';
import { Agent, request } from 'undici';
import { median, report, round } from './support/figures.js';
import { ReceiverProcess } from './support/receiver-process.js';
import { createMerchant, startStack, type BenchStack } from './support/stack.js';

// Deliveries per second of one worker to a local receiver, beside the same number of bare undici POSTs of the same
// bytes with the same concurrency, in alternating rounds. Goal: at least 0.5 of bare.

const ROUNDS = 5;
const WEBHOOKS = 20;
const PER_WEBHOOK = 1000;
const COUNT = WEBHOOKS * PER_WEBHOOK;
const CONCURRENCY = WEBHOOKS * 10;
const BODY = JSON.stringify({
  id: 'evt_bench',
  event: 'webhook.test',
  timestamp: 0,
  data: { filler: 'x'.repeat(700) },
});

const stack = await startStack();
const receiver = await ReceiverProcess.start();
const merchant = await createMerchant(stack);
const webhooks = await registerWebhooks(stack, merchant.key, receiver.url);
await stack.startWorker();
await barePosts(receiver);
await deliveries(stack, webhooks, receiver);

const rounds: { bare: number; worker: number; ratio: number }[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const bare = await barePosts(receiver);
  const worker = await deliveries(stack, webhooks, receiver);
  rounds.push({ bare: round(bare), worker: round(worker), ratio: round(worker / bare, 2) });
}
const of = (name: 'bare' | 'worker' | 'ratio'): number => median(rounds.map((each) => each[name]));
report('webhook-dispatch', rounds, {
  'bare POSTs/s': of('bare'),
  'deliveries/s': of('worker'),
  ratio: of('ratio'),
  goal: 'ratio at least 0.5',
});
receiver.stop();
await stack.stop();
process.exit(0);

async function registerWebhooks(to: BenchStack, key: string, url: string): Promise<number[]> {
  const ids: number[] = [];
  for (let n = 0; n < WEBHOOKS; n++) {
    const response = await fetch(`${to.apiUrl}/v1/merchant-webhooks`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${url}/ok` }),
    });
    ids.push(((await response.json()) as { id: number }).id);
  }
  return ids;
}

/** Puts the deliveries of a round into the database at once, and times them from the first arrival to the last. */
async function deliveries(on: BenchStack, ids: number[], at: ReceiverProcess): Promise<number> {
  const arrived = at.collect(COUNT);
  await on.database.query(
    `WITH made AS (
       INSERT INTO events (public_id, merchant_id, kind, body, created_at)
       SELECT $1 || n, $2, 'webhook.test', $3, now() FROM generate_series(1, $4::int) n RETURNING id)
     INSERT INTO webhook_deliveries (webhook_id, event_id, due_at, created_at, updated_at)
     SELECT ($5::int[])[1 + id % $6::int], id, now(), now(), now() FROM made`,
    [`evt_${randomBytes(8).toString('hex')}_`, merchant.id, BODY, COUNT, ids, WEBHOOKS],
  );
  return perSecond((await arrived).map((arrival) => arrival.at));
}

async function barePosts(to: ReceiverProcess): Promise<number> {
  const arrived = to.collect(COUNT);
  const agent = new Agent({ connections: CONCURRENCY, pipelining: 1 });
  let left = COUNT;
  const sender = async (): Promise<void> => {
    while (left-- > 0) {
      const { body } = await request(`${to.url}/ok`, {
        method: 'POST',
        body: BODY,
        dispatcher: agent,
        headers: { 'content-type': 'application/json', 'webhook-id': 'evt_bench' },
      });
      await body.dump();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, sender));
  const times = (await arrived).map((arrival) => arrival.at);
  await agent.close();
  return perSecond(times);
}

function perSecond(times: number[]): number {
  return (times.length / (Math.max(...times) - Math.min(...times))) * 1000;
}
