import { isUtf8 } from 'node:buffer';
import type { CostMoney } from '../../core/cost-money.js';
import { parseExactJson } from '../../core/exact-json.js';
import type { CallbackReader, CallbackReading, RawCallback } from '../supplier-adapter.js';
import { asMembers, nameOf, unreadable, type Members } from '../adapter-answers.js';
import { rupiah } from './digiflazz-data.js';
import { isSignedWith } from './digiflazz-signatures.js';
import { readTransaction } from './purchase-answers.js';

interface WebhookSettings {
  webhookSecret: string | null;
}

/**
 * Reads callbacks of Digiflazz's webhook. Ignores `X-Digiflazz-Event`, because the signature covers only the body. Without a
 * secret, a callback proves nothing: then it gives no outcome, and a success in it only sets `saysSold`.
 */
export const digiflazzCallbacks: CallbackReader<WebhookSettings> = {
  read(raw, { webhookSecret }) {
    if (webhookSecret === null) return readContent(raw, false);
    if (isSignedWith(webhookSecret, raw.body, raw.headers['x-hub-signature'])) return readContent(raw, true);
    return { kind: 'refused', detail: 'X-Hub-Signature was not made with the webhook secret' };
  },

  isProvenWith: ({ webhookSecret }) => webhookSecret !== null,
};

function readContent({ body, headers }: RawCallback, isProven: boolean): CallbackReading {
  const content = isUtf8(body) ? asMembers(parseExactJson(body.toString('utf8'))) : undefined;
  if (!content) return unreadable('the body is not a JSON object');
  const data = asMembers(content.data);
  if (!data) return isPing(content) ? { kind: 'ping' } : unreadable('the body has no data');
  const reference = nameOf(data.ref_id);
  if (reference === undefined) return unreadable('the body names no reference');
  const supplierReference = nameOf(data.trx_id);
  const deliveryId = nameOf(headers['x-digiflazz-delivery']);
  const outcome = readTransaction(data, 'callback');
  return {
    kind: 'about',
    reference,
    ...(supplierReference !== undefined && { supplierReference }),
    ...(deliveryId !== undefined && { deliveryId }),
    ...(isProven ? { outcome } : outcome.kind === 'succeeded' && { saysSold: true }),
    purchase: purchaseIn(data),
  };
}

function purchaseIn(data: Members): { sku?: string; player?: string; cost?: CostMoney } {
  const [sku, player, cost] = [nameOf(data.buyer_sku_code), nameOf(data.customer_no), rupiah(data.price)];
  return {
    ...(sku !== undefined && { sku }),
    ...(player !== undefined && { player }),
    ...(cost && { cost }),
  };
}

/** The supplier's test of a webhook. */
const isPing = (content: Members): boolean =>
  content.data === undefined && (content.hook_id !== undefined || asMembers(content.hook) !== undefined);
