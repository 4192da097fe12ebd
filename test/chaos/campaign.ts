import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkClients } from './check-clients.js';
import { checkPostgresql } from './check-postgresql.js';
import { checkReceivers, type Subscription } from './check-receivers.js';
import { checkSupplier } from './check-supplier.js';
import { Clients } from './clients.js';
import type { DefectName } from './defects.js';
import { inject } from './faults.js';
import { Random } from './random.js';
import { Receiver } from './receiver.js';
import { MERCHANTS, planSchedule, PRODUCTS, SUPPLIER_TIMEOUT_MS, type PlannedFault } from './schedule.js';
import { settleDown } from './settle-down.js';
import { ChaosSystem } from './system.js';
import { Violations } from './violations.js';

export interface CampaignOptions {
  seed: number;
  seconds: number;
  /** What to break in the service, to see that it is noticed. */
  defect: DefectName | null;
  log: (line: string) => void;
}

export interface CampaignReport {
  orders: Record<string, number>;
  /** The longest time in which no client got any order acknowledged, while there was load. */
  longestSilenceMs: number;
  faults: Record<string, number>;
  violations: Violations;
  logs: string;
}

/** How long clients go on asking once every fault is undone. */
const CLIENTS_GIVE_UP_AFTER_MS = 60_000;

/** Runs the load and the faults of a seed, heals everything, waits until all is quiet, and compares the books. */
export async function runCampaign({ seed, seconds, defect, log }: CampaignOptions): Promise<CampaignReport> {
  const random = new Random(seed);
  const { orders, faults } = planSchedule(seed, seconds);
  const violations = new Violations();
  const receiver = new Receiver(random.fork('receiver'));
  await receiver.listen();
  const system = await ChaosSystem.start(`seed-${seed}${defect === null ? '' : `-${defect}`}`, defect);
  try {
    const { merchantIds, keys, subscriptions } = await furnish(system, receiver);
    const clients = new Clients(system.apiUrl, keys, random.fork('clients'));
    log(`${orders.length} orders and ${faults.length} faults in ${seconds} s`);
    await play(system, clients, { orders, faults }, log);
    log('healed; waiting until all is quiet');
    await settleDown(system, violations);
    log('comparing the books');
    // Before the final reading, which adds to what the clients were told.
    const silenceMs = longestSilenceMs(clients);
    await checkClients(system, clients, merchantIds, violations);
    await checkPostgresql(system, violations);
    await checkSupplier(system, violations);
    await checkReceivers(system, receiver, subscriptions, violations);
    const surprises = system.processes.flatMap((each) => each.surprises);
    for (const surprise of surprises) violations.add('processes', 'a process ended by itself', surprise);
    const counts = await countOrders(system, clients, receiver);
    if ((counts.placed ?? 0) < orders.length / 2) {
      violations.add('clients', 'less than half of the orders could be placed', counts);
    }
    return {
      orders: counts,
      longestSilenceMs: silenceMs,
      faults: countKinds(faults),
      violations,
      logs: system.logs,
    };
  } finally {
    receiver.close();
    await system.stop();
  }
}

interface Furniture {
  merchantIds: number[];
  keys: string[];
  subscriptions: Subscription[];
}

/** A catalogue, and merchants with money, keys and webhooks, made as an operator and the merchants make them. */
async function furnish(system: ChaosSystem, receiver: Receiver): Promise<Furniture> {
  const timeout = String(SUPPLIER_TIMEOUT_MS);
  const supplier = ['--code', 'sim', '--adapter', 'http', '--base-url', system.wire.url, '--token', system.supplierToken, '--timeout-ms', timeout]; // prettier-ignore
  await system.topup('supplier', 'set', ...supplier);
  const lines = PRODUCTS.map(({ sku, price, supplierSku }) => `${sku},${sku},${price},sim,${supplierSku}`);
  const catalogue = join(system.logs, 'products.csv');
  writeFileSync(catalogue, ['sku,name,price,supplier,supplier_sku', ...lines, ''].join('\n'));
  await system.topup('product', 'import', catalogue);
  const furniture: Furniture = { merchantIds: [], keys: [], subscriptions: [] };
  for (const [index, { name, baht, webhooks }] of MERCHANTS.entries()) {
    const { id } = await system.topup<{ id: number }>('merchant', 'create', '--name', name);
    const merchant = ['--merchant', String(id)];
    const [{ key }] = await Promise.all([
      system.topup<{ key: string }>('api-key', 'issue', ...merchant),
      system.topup('wallet', 'credit', ...merchant, '--amount', baht, '--reference', 'chaos'),
    ]);
    furniture.merchantIds.push(id);
    furniture.keys.push(key);
    for (const [number, events] of webhooks.entries()) {
      const endpoint = `${index}-${number}`;
      const settings = { url: receiver.urlOf(endpoint), events, max_retries: 10, retry_delay: 1 };
      const response = await fetch(`${system.apiUrl}/v1/merchant-webhooks`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      });
      const answer = (await response.json()) as { secret: string };
      if (response.status !== 201) throw new Error(`a webhook was refused: ${JSON.stringify(answer)}`);
      receiver.trust(endpoint, answer.secret);
      furniture.subscriptions.push({ endpoint, merchantId: id, events });
    }
  }
  return furniture;
}

/** Ends when every fault is undone and every client knows what became of its order, or has given up. */
async function play(
  system: ChaosSystem,
  clients: Clients,
  { orders, faults }: ReturnType<typeof planSchedule>,
  log: (line: string) => void,
): Promise<void> {
  const startMs = performance.now();
  const until = (atMs: number): Promise<void> => delay(Math.max(0, startMs + atMs - performance.now()));
  let giveUpAtMs = Infinity;
  const played = orders.map(async (order) => {
    await until(order.atMs);
    await clients.play(order, () => giveUpAtMs);
  });
  const injected = faults.map(async (fault) => {
    await until(fault.atMs);
    log(
      `${(fault.atMs / 1000).toFixed(1)} s: ${fault.kind}${fault.forMs > 0 ? ` for ${fault.forMs} ms` : ''}`,
    );
    await inject(system, fault);
  });
  await Promise.all(injected);
  giveUpAtMs = performance.now() + CLIENTS_GIVE_UP_AFTER_MS;
  await until(orders.at(-1)?.atMs ?? 0);
  giveUpAtMs = performance.now() + CLIENTS_GIVE_UP_AFTER_MS;
  await Promise.all(played);
}

function countKinds(faults: PlannedFault[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of faults) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function longestSilenceMs({ stories }: Clients): number {
  const told = stories.flatMap((story) => story.told).filter(({ status }) => status === 200);
  const moments = told.map(({ atMs }) => atMs).sort((one, other) => one - other);
  return Math.max(0, ...moments.slice(1).map((atMs, index) => atMs - (moments[index] ?? atMs)));
}

async function countOrders(
  system: ChaosSystem,
  clients: Clients,
  receiver: Receiver,
): Promise<Record<string, number>> {
  const [stored] = await system.sql<Record<string, number>>(`
    SELECT count(*)::int AS placed, count(*) FILTER (WHERE status = 'completed')::int AS completed,
           count(*) FILTER (WHERE status = 'failed')::int AS failed,
           (SELECT count(*)::int FROM order_units) AS units,
           (SELECT count(*)::int FROM order_units WHERE sends > 1) AS units_sent_again,
           (SELECT count(*)::int FROM webhook_attempts) AS delivery_attempts
    FROM orders`);
  return {
    asked_for: clients.stories.length,
    requests_left_open: clients.stories.reduce((sum, { open }) => sum + open, 0),
    ...stored,
    deliveries_arrived: receiver.arrivals.length,
  };
}
