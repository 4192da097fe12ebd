import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createCatalog } from './support/catalog.js';
import { percentile, report, round } from './support/figures.js';
import { orderBody } from './support/orders.js';
import { residentMb } from './support/resident.js';
import { createMerchant, startStack } from './support/stack.js';

// The API with everything there, without Redis, and without PostgreSQL: the p99 of an order's answer at a steady load,
// what the answers are, and the memory of the process. Goals: without Redis every order is accepted, p99 at most twice
// the usual one; without PostgreSQL every order is refused with 503 and Retry-After at once.

const ORDERS_PER_SECOND = 200;
const SECONDS = 15;

const stack = await startStack();
const supplier = await createCatalog(stack);
const merchant = await createMerchant(stack);
await stack.startWorker();
const agent = new Agent({ connections: 64 });

await measure();
const usual = await measure();
await stack.end('redis');
const withoutRedis = await measure();
await stack.end('postgres');
const withoutPostgres = await measure();
const readiness = (await fetch(`${stack.apiUrl}/readyz`)).status;

report('degradation', [usual, withoutRedis, withoutPostgres], {
  'p99 without Redis / usual': round(withoutRedis.p99 / usual.p99, 2),
  'goal, Redis': 'ratio at most 2, all accepted',
  'p99 without PostgreSQL, ms': withoutPostgres.p99,
  'goal, PostgreSQL': 'all refused with 503 and Retry-After, at once',
  'readiness without PostgreSQL': readiness,
});
supplier.disconnect();
stack.kill();
process.exit(0);

interface Figures extends Record<string, number> {
  accepted: number;
  refused: number;
  /** Anything else than a 200 or a 503 with Retry-After. */
  other: number;
  p50: number;
  p99: number;
  'memory, MB': number;
}

async function measure(): Promise<Figures> {
  const times: number[] = [];
  const counts = { accepted: 0, refused: 0, other: 0 };
  const requests: Promise<void>[] = [];
  for (let n = 0; n < ORDERS_PER_SECOND * SECONDS; n++) {
    requests.push(place(counts, times));
    await delay(1_000 / ORDERS_PER_SECOND);
  }
  await Promise.all(requests);
  return {
    ...counts,
    p50: round(percentile(times, 0.5)),
    p99: round(percentile(times, 0.99)),
    'memory, MB': round(residentMb(stack.api)),
  };
}

async function place(
  counts: { accepted: number; refused: number; other: number },
  times: number[],
): Promise<void> {
  const startedMs = performance.now();
  const { statusCode, headers, body } = await request(`${stack.apiUrl}/v1/orders`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'x-api-key': merchant.key, 'content-type': 'application/json' },
    body: orderBody(randomBytes(12).toString('hex')),
  });
  await body.dump();
  times.push(performance.now() - startedMs);
  if (statusCode === 200) counts.accepted++;
  else if (statusCode === 503 && headers['retry-after'] !== undefined) counts.refused++;
  else counts.other++;
}
