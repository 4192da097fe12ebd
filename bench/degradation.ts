import { createCatalog } from './support/catalog.js';
import { percentile, report, round } from './support/figures.js';
import { residentMb } from './support/resident.js';
import { createMerchant, startStack } from './support/stack.js';
import { steadyLoad } from './support/steady-load.js';

// The API with all servers, without Redis, and without PostgreSQL: the p99 of an order's answer at a steady load, the statuses,
// and the memory of the process. Goals: without Redis every order is accepted, p99 at most twice
// the usual one; without PostgreSQL every order is refused with 503 and Retry-After at once.

const ORDERS_PER_SECOND = 200;
const SECONDS = 15;

const stack = await startStack();
const supplier = await createCatalog(stack);
const merchant = await createMerchant(stack);
await stack.startWorker();

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

/** The answers to the orders of a round: 200, 503 with Retry-After, or anything else. */
async function measure(): Promise<Record<'accepted' | 'refused' | 'other' | 'p50' | 'p99' | 'memory, MB', number>> {
  const { times, ...counts } = await steadyLoad({
    url: stack.apiUrl,
    key: merchant.key,
    perSecond: ORDERS_PER_SECOND,
    seconds: SECONDS,
  });
  return {
    ...counts,
    p50: round(percentile(times, 0.5)),
    p99: round(percentile(times, 0.99)),
    'memory, MB': round(residentMb(stack.api)),
  };
}
