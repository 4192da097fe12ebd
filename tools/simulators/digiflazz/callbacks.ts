import { randomUUID } from 'node:crypto';
import type { Delivery } from '../common/model.js';
import type { Transaction } from './model.js';
import type { CallbackBehaviour } from './rules.js';
import { hubSignature } from './signatures.js';
import type { Store } from './store.js';

/** What the vendor tells about a transaction, in the order of its manual. */
export function callbackData(transaction: Transaction): Record<string, unknown> {
  const { trx_id, ref_id, customer_no, buyer_sku_code, message, status, rc } = transaction;
  const { buyer_last_saldo, sn, price } = transaction;
  const about = { trx_id, ref_id, customer_no, buyer_sku_code, message, status, rc };
  return { ...about, buyer_last_saldo, sn, price, tele: '', wa: '' };
}

/** The callbacks that a change of `transaction` gives rise to; none where no address is set. */
export function planCallbacks(store: Store, transaction: Transaction, event: 'create' | 'update'): Delivery[] {
  const { callback, cb_url, ref_id, trx_id } = transaction;
  const { webhook } = store.account;
  const url = cb_url ?? webhook.url;
  if (url === null || callback.mode === 'never') return [];
  if (event === 'create' && store.readings.create_event === 'not_sent') return [];

  const unsigned = cb_url !== null && store.readings.cb_url_signature === 'absent';
  const first = delivery(store, {
    ...signed({ data: callbackData(transaction) }, unsigned ? null : webhook.secret, callback.signature, event),
    url,
    ref_id,
    trx_id,
    from: callback.from ?? null,
    state: callback.mode === 'out_of_order' && event === 'create' ? 'held' : 'waiting',
    due_ms: store.now() + (callback.delay_ms ?? 0),
  });
  if (callback.mode !== 'twice') return [first];
  return [first, { ...redelivered(store, first), n: first.n + 1, repeat: true }];
}

/** A callback as it is delivered again. */
export function redelivered(store: Store, delivery: Delivery): Delivery {
  if (store.readings.retry_delivery_id === 'same') return delivery;
  return { ...delivery, headers: { ...delivery.headers, 'X-Digiflazz-Delivery': randomUUID() } };
}

/** The callback by which the vendor tries the webhook: its body has no `data`. */
export function planPing(store: Store, signature?: CallbackBehaviour['signature']): Delivery | null {
  const { id, url, secret } = store.account.webhook;
  if (url === null) return null;
  const hook = { type: 'webhook', id, url, events: ['create', 'update'] };
  const event = store.readings.ping_event;
  return delivery(store, {
    // I: a ping is signed as every other callback.
    ...signed(
      { sed: 'A ping of the simulator', hook_id: id, hook },
      secret,
      signature,
      event === 'absent' ? null : event,
    ),
    url,
  });
}

/** A callback with whatever members a test wants `data` to have. */
export function planForged(
  store: Store,
  transaction: Transaction,
  wanted: { set?: Record<string, unknown>; event?: string; url?: string } & CallbackBehaviour,
): Delivery | null {
  const url = wanted.url ?? transaction.cb_url ?? store.account.webhook.url;
  if (url === null) return null;
  const data = { ...callbackData(transaction), ...wanted.set };
  return delivery(store, {
    ...signed({ data }, store.account.webhook.secret, wanted.signature, wanted.event ?? 'update'),
    url,
    ref_id: transaction.ref_id,
    trx_id: transaction.trx_id,
    from: wanted.from ?? null,
  });
}

function delivery(store: Store, members: Pick<Delivery, 'body' | 'headers' | 'url'> & Partial<Delivery>): Delivery {
  return {
    n: store.nextDelivery(),
    trx_id: null,
    ref_id: null,
    from: null,
    repeat: false,
    state: 'waiting',
    due_ms: store.now(),
    attempts: [],
    ...members,
  };
}

/** The bytes of a callback and its headers, with a signature that is right or as a test wants it to be wrong. */
function signed(
  value: object,
  secret: string | null,
  wish: CallbackBehaviour['signature'],
  event: string | null,
): Pick<Delivery, 'body' | 'headers'> {
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
