import type { ChildProcess } from 'node:child_process';
import { createCatalog, SKU } from './support/catalog.js';
import { startHelper } from './support/child.js';
import { median, report, round } from './support/figures.js';
import { httpRequest, load } from './support/load.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The cost of an order's way through HTTP, layer by layer, in requests per second of one process: Node's server, Express, Nest
// with a guard, Nest's ValidationPipe, and the service with everything except the placing of the order.

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const DURATION_MS = 2_000;
const CONNECTIONS = 128;
const LAYERS = ['http', 'express', 'nest', 'nest-validation'];

const stack = await startStack();
const supplier = await createCatalog(stack);
const [wallet] = await createWallets(stack.database, 1);
const body = JSON.stringify({
  reference_id: 'shop-1',
  user_id: 'player-1',
  items: [{ sku: SKU, quantity: 1 }],
});
const request = httpRequest('/v1/orders', wallet?.key ?? '', body);

const helpers: [name: string, ChildProcess, url: string][] = [];
for (const layer of LAYERS) {
  const { child, url } = await startHelper('peers/http-layers', { LAYER: layer, NODE_ENV: 'production' });
  helpers.push([layer, child, url]);
}
const noop = await startHelper('peers/noop-api', stack.environment);
helpers.push(['service', noop.child, noop.url]);

const measure = async (url: string): Promise<number> => {
  const next = (): string => request;
  const { perSecond, statuses } = await load({
    url,
    connections: CONNECTIONS,
    durationMs: DURATION_MS,
    next,
  });
  if (statuses.has(200) === statuses.has(201)) throw new Error(`not only orders: ${[...statuses].join(' ')}`);
  return perSecond;
};

for (const [, , url] of helpers) await measure(url);
const rounds: Record<string, number>[] = [];
for (let n = 0; n < ROUNDS; n++) {
  const figures: Record<string, number> = {};
  for (const [name, , url] of helpers) figures[name] = round(await measure(url), 0);
  rounds.push(figures);
}
const of = (name: string): number => median(rounds.map((figures) => figures[name] ?? NaN));
const ratio = (name: string, to: string): number =>
  round(median(rounds.map((figures) => (figures[name] ?? NaN) / (figures[to] ?? NaN))), 2);
report('http-path', rounds, {
  ...Object.fromEntries(helpers.map(([name]) => [`requests/s ${name}`, of(name)])),
  'service / http': ratio('service', 'http'),
  'service / express': ratio('service', 'express'),
  'service / nest-validation': ratio('service', 'nest-validation'),
});
for (const [, child] of helpers) child.disconnect();
supplier.disconnect();
await stack.stop();
process.exit(0);
