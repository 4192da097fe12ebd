import type { Subscription } from '../chaos/check-receivers.js';
import type { Receiver } from '../chaos/receiver.js';
import type { Laboratory } from './laboratory.js';

export const SKU = 'HA-35';
export const SUPPLIER_TOKEN = 'laboratory';
const MERCHANTS = 4;
const EVENTS = ['order.completed', 'order.failed'];

export interface Furniture {
  accounts: { merchantId: number; key: string }[];
  subscriptions: Subscription[];
}

/** One product, and merchants with money, a key and a webhook each. */
export async function furnish(laboratory: Laboratory, receiver: Receiver): Promise<Furniture> {
  const { supplierUrl } = laboratory;
  const supplier = ['--adapter', 'http', '--base-url', supplierUrl, '--token', SUPPLIER_TOKEN];
  await laboratory.topup('supplier', 'set', '--code', 'sim', ...supplier);
  const product = ['--sku', SKU, '--name', SKU, '--price', '35.00', '--supplier', 'sim'];
  await laboratory.topup('product', 'set', ...product);
  const names = Array.from({ length: MERCHANTS }, (_, index) => `merchant-${index + 1}`);
  const made = await Promise.all(names.map((name) => furnishMerchant(laboratory, receiver, name)));
  return {
    accounts: made.map(([account]) => account),
    subscriptions: made.map(([, subscription]) => subscription),
  };
}

async function furnishMerchant(
  laboratory: Laboratory,
  receiver: Receiver,
  name: string,
): Promise<[Furniture['accounts'][number], Subscription]> {
  const { id: merchantId } = await laboratory.topup<{ id: number }>('merchant', 'create', '--name', name);
  const merchant = ['--merchant', String(merchantId)];
  const money = ['--amount', '10000000.00', '--reference', 'laboratory'];
  const [{ key }] = await Promise.all([
    laboratory.topup<{ key: string }>('api-key', 'issue', ...merchant),
    laboratory.topup('wallet', 'credit', ...merchant, ...money),
  ]);
  receiver.trust(name, await subscribe(laboratory, key, receiver.urlOf(name)));
  return [
    { merchantId, key },
    { endpoint: name, merchantId, events: EVENTS },
  ];
}

/** @returns the secret that deliveries are signed with. */
async function subscribe({ apiUrl }: Laboratory, key: string, url: string): Promise<string> {
  const response = await fetch(`${apiUrl}/v1/merchant-webhooks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ url, events: EVENTS, max_retries: 10, retry_delay: 1 }),
  });
  const answer = (await response.json()) as { secret: string };
  if (response.status !== 201) throw new Error(`a webhook was refused: ${JSON.stringify(answer)}`);
  return answer.secret;
}
