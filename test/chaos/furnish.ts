import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchServed } from '../support/until-served.js';
import { CARELESS_FIRST_SKU, CARELESS_SKU } from './careless-supplier.js';
import type { Subscription } from './check-receivers.js';
import type { Receiver } from './receiver.js';
import { retried } from './retried.js';
import { MERCHANTS, PRODUCTS, type PlannedMerchant } from './schedule.js';
import type { ChaosSystem } from './system.js';
import { routedProducts } from './vendor-plan.js';
import type { AnswerCode } from './vendors/vendor-kind.js';

export interface Furniture {
  merchantIds: number[];
  keys: string[];
  subscriptions: Subscription[];
  /** The callback addresses of vendors. */
  callbackUrls: ReadonlyMap<AnswerCode, string>;
}

/** Adds products, and merchants with money, keys and webhooks, with the commands and requests of operators and merchants. */
export async function furnish(system: ChaosSystem, receiver: Receiver): Promise<Furniture> {
  const [merchants, callbackUrls] = await Promise.all([
    Promise.all(MERCHANTS.map((merchant) => furnishMerchant(system, merchant))),
    furnishCatalogue(system),
  ]);
  const subscriptions: Subscription[] = [];
  for (const [index, { webhooks }] of MERCHANTS.entries()) {
    for (const [number, events] of webhooks.entries()) {
      const { merchantId = 0, key = '' } = merchants[index] ?? {};
      const endpoint = `${index}-${number}`;
      receiver.trust(endpoint, await subscribe(system, key, receiver.urlOf(endpoint), events));
      subscriptions.push({ endpoint, merchantId, events });
    }
  }
  const merchantIds = merchants.map(({ merchantId }) => merchantId);
  return { merchantIds, keys: merchants.map(({ key }) => key), subscriptions, callbackUrls };
}

/** @returns the callback addresses of vendors. */
async function furnishCatalogue(system: ChaosSystem): Promise<Furniture['callbackUrls']> {
  await retried(() => system.setSupplier(system.wire.url));
  await retried(() => system.setSupplier(system.careless.url, 'careless'));
  const lines = PRODUCTS.map(({ sku, price, supplierSku }) => `${sku},${sku},${price},sim,${supplierSku}`);
  const catalogue = join(system.logs, 'products.csv');
  writeFileSync(catalogue, ['sku,name,price,supplier,supplier_sku', ...lines, ''].join('\n'));
  await retried(() => system.topup('product', 'import', catalogue));
  const callbackUrls = new Map<AnswerCode, string>();
  for (const vendor of system.vendors) {
    const { code, currency, rate, callBackAt } = vendor.kind;
    const url = await retried(() => system.setVendor(vendor));
    callbackUrls.set(code, url);
    if (callBackAt) await vendor.change(callBackAt(url));
    if (currency !== 'THB') await run(system, 'fx', 'set', '--currency', currency, '--rate', rate);
  }
  await furnishCareless(system);
  await furnishRouted(system);
  return callbackUrls;
}

/** Adds one product that only the careless supplier sells, and one that another supplier sells after its refusals. */
async function furnishCareless(system: ChaosSystem): Promise<void> {
  for (const sku of [CARELESS_SKU, CARELESS_FIRST_SKU]) {
    const suppliers = sku === CARELESS_SKU ? ['careless'] : ['careless', 'sim'];
    await run(system, 'product', 'set', '--sku', sku, '--name', sku, '--price', '35.00');
    for (const [index, supplier] of suppliers.entries()) {
      const offer = ['--sku', sku, '--supplier', supplier, '--supplier-sku', sku];
      await run(system, 'offer', 'set', ...offer, '--priority', String(index + 1));
    }
  }
}

async function furnishRouted(system: ChaosSystem): Promise<void> {
  const vendors = system.vendors.map(({ kind }) => kind);
  for (const { sku, price, kind, offers } of routedProducts(vendors.map(({ code }) => code))) {
    await run(system, 'product', 'set', '--sku', sku, '--name', sku, '--price', price, '--kind', kind);
    for (const [index, { supplier, supplierSku, cost, template }] of offers.entries()) {
      const currency = vendors.find(({ code }) => code === supplier)?.currency;
      await run(
        system,
        'offer',
        'set',
        '--sku',
        sku,
        '--supplier',
        supplier,
        '--supplier-sku',
        supplierSku,
        ...(cost === undefined ? [] : ['--cost', cost, '--currency', String(currency)]),
        ...(template === undefined ? [] : ['--player-template', template]),
        '--priority',
        String(index + 1),
      );
    }
  }
}

const run = (system: ChaosSystem, ...args: string[]): Promise<void> =>
  retried(async () => {
    if ((await system.commands.run(args)) !== 0) throw new Error(`topup ${args.join(' ')} failed`);
  });

async function furnishMerchant(
  system: ChaosSystem,
  { name, baht, weight }: PlannedMerchant,
): Promise<{ merchantId: number; key: string }> {
  const { id } = await system.topup<{ id: number }>('merchant', 'create', '--name', name);
  const merchant = ['--merchant', String(id)];
  const [{ key }] = await Promise.all([
    system.topup<{ key: string }>('api-key', 'issue', ...merchant),
    retried(() => system.topup('wallet', 'credit', ...merchant, '--amount', baht, '--reference', 'chaos')),
  ]);
  if (weight !== undefined) await run(system, 'merchant', 'set-weight', ...merchant, '--weight', String(weight));
  return { merchantId: id, key };
}

/** @returns the secret that signs the webhook's deliveries. */
async function subscribe(system: ChaosSystem, key: string, url: string, events: string[]): Promise<string> {
  const response = await fetchServed(`${system.apiUrl}/v1/merchant-webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events, max_retries: 10, retry_delay: 1 }),
  });
  const answer = (await response.json()) as { secret: string };
  if (response.status !== 201) throw new Error(`a webhook was refused: ${JSON.stringify(answer)}`);
  return answer.secret;
}
