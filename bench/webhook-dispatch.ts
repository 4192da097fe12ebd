import { Agent, request } from 'undici';
import { median, report, round } from './support/figures.js';
import { ReceiverProcess } from './support/receiver-process.js';
import { createMerchant, startStack, type BenchStack } from './support/stack.js';
import { addDeliveries, registerWebhook } from './support/webhooks.js';

// Deliveries per second of one worker to a local receiver, compared with the same number of bare undici POSTs of the same
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
const webhooks: number[] = [];
for (let n = 0; n < WEBHOOKS; n++) webhooks.push(await registerWebhook(stack, merchant.key, `${receiver.url}/ok`));
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

/** Puts the deliveries of a round into the database at once, and times them from the first arrival to the last. */
async function deliveries(on: BenchStack, ids: number[], at: ReceiverProcess): Promise<number> {
  const arrived = at.collect(COUNT);
  await addDeliveries(on.database, merchant.id, ids, COUNT, BODY);
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
