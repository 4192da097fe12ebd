import { randomUUID } from 'node:crypto';
import { type Message, newDelivery, plannedCallbacks } from '../common/callbacks.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import type { Transaction } from './model.js';
import type { CallbackBehaviour } from './rules.js';
import { hubSignature } from './signatures.js';
import type { Store } from './store.js';

/** The members of a transaction in a callback, in the order of the manual. */
function callbackData(transaction: Transaction): Record<string, unknown> {
  const { trx_id, ref_id, customer_no, buyer_sku_code, message, status, rc } = transaction;
  const { buyer_last_saldo, sn, price } = transaction;
  const about = { trx_id, ref_id, customer_no, buyer_sku_code, message, status, rc };
  return { ...about, buyer_last_saldo, sn, price, tele: '', wa: '' };
}

/** A transaction may name an address of its own. */
export const callbackUrlOf = (store: Store, { cb_url }: Transaction): string | null =>
  cb_url ?? store.account.webhook.url;

/** The callbacks that a change of `transaction` causes; none where no address is set. */
export function planCallbacks(store: Store, transaction: Transaction, event: 'create' | 'update'): Delivery[] {
  const { callback, cb_url } = transaction;
  const url = callbackUrlOf(store, transaction);
  if (url === null || callback.mode === 'never') return [];
  if (event === 'create' && store.readings.create_event === 'not_sent') return [];

  const isUnsigned = cb_url !== null && store.readings.cb_url_signature === 'absent';
  const secret = isUnsigned ? null : store.account.webhook.secret;
  const message = { ...signed({ data: callbackData(transaction) }, secret, callback.signature, event), url };
  const planned = plannedCallbacks(store, transaction, message, event === 'create');
  return planned.map((each) => (each.repeat ? redelivered(store, each) : each));
}

/** The callback for a further delivery. */
export function redelivered(store: Store, delivery: Delivery): Delivery {
  if (store.readings.retry_delivery_id === 'same') return delivery;
  return { ...delivery, headers: { ...delivery.headers, 'X-Digiflazz-Delivery': randomUUID() } };
}

/** The callback by which the vendor tries the webhook: its body has no `data`. */
export function planPing(store: Store, signature?: CallbackBehaviour['signature']): Delivery | null {
  const { id, url, secret } = store.account.webhook;
  if (url === null) return null;
  const hook = { type: 'webhook', id, url, events: ['create', 'update'] };
  const { ping_event } = store.readings;
  // I: a ping is signed like every other callback.
  const event = ping_event === 'absent' ? null : ping_event;
  const message = signed({ sed: 'A ping of the simulator', hook_id: id, hook }, secret, signature, event);
  return newDelivery(store, { ...message, url });
}

/** A callback with the members of `data` that a test wants. */
export function forgedMessage(
  store: Store,
  transaction: Transaction,
  wanted: Forged<CallbackBehaviour>,
): Omit<Message, 'url'> {
  const data = { ...callbackData(transaction), ...wanted.set };
  return signed({ data }, store.account.webhook.secret, wanted.signature, wanted.event ?? 'update');
}

/** The body and headers of a callback, with a right signature or with the wrong one that a test wants. */
function signed(
  value: object,
  secret: string | null,
  wish: CallbackBehaviour['signature'],
  event: string | null,
): Omit<Message, 'url'> {
  const compact = JSON.stringify(value);
  const body = wish === 'reserialised' ? JSON.stringify(value, null, 1) : compact;
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Digiflazz-Hookshot',
    'X-Digiflazz-Delivery': randomUUID(),
    ...(event !== null && { 'X-Digiflazz-Event': event }),
  };
  if (secret === null || wish === 'absent') return { body, headers };
  const right = hubSignature(wish === 'wrong' ? `${secret}-other` : secret, compact);
  const signature = wish === 'no_prefix' ? right.slice('sha1='.length) : right;
  return { body, headers: { ...headers, 'X-Hub-Signature': signature } };
}
