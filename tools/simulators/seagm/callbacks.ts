import { formText } from '../common/form.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import type { Transaction } from './model.js';
import { orderData, outcomeOf } from './replies.js';
import type { CallbackBehaviour } from './rules.js';
import { signatureOf } from './signatures.js';
import type { Store } from './store.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
type Fields = Readonly<Record<string, string>>;

/** C: what a callback says; the cards are not part of it. */
function callbackFields(store: Store, order: Transaction): Fields {
  const { cards: _, ...told } = orderData(store, order);
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, String(value)]));
}

/** The callbacks that a change of `order` gives rise to; none where no address is set. */
export function planCallbacks(store: Store, order: Transaction, isNew: boolean): Delivery[] {
  const { callback } = order;
  const { callback_url: url } = store.account;
  const isLast = outcomeOf(order) !== 'pending';
  if (url === null || callback.mode === 'never') return [];
  if (store.readings.callback_of === 'last_state' && !isLast) return [];

  const first: Delivery = {
    ...delivery(store, order, url, signed(store, callbackFields(store, order), {}, callback.signature)),
    from: callback.from ?? null,
    state: callback.mode === 'out_of_order' && isNew ? 'held' : 'waiting',
    due_ms: store.now() + (callback.delay_ms ?? 0),
  };
  return callback.mode === 'twice' ? [first, { ...first, n: first.n + 1, repeat: true }] : [first];
}

/** A callback with whatever fields a test wants it to have. */
export function planForged(store: Store, order: Transaction, wanted: Forged & CallbackBehaviour): Delivery | null {
  const url = wanted.url ?? store.account.callback_url;
  if (url === null) return null;
  const set = Object.entries(wanted.set ?? {}).map(([name, value]) => [name, String(value)] as const);
  const text = signed(store, callbackFields(store, order), Object.fromEntries(set), wanted.signature);
  return { ...delivery(store, order, url, text), from: wanted.from ?? null };
}

/** The form of a callback; a stale signature is that of the fields before `set`, or of another amount. */
function signed(store: Store, fields: Fields, set: Fields, wish: CallbackBehaviour['signature']): string {
  const isOther = wish === 'stale' && Object.keys(set).length === 0;
  const told = { ...fields, ...set, ...(isOther && { pay_amount: `${fields.pay_amount}1` }) };
  if (wish === 'absent') return formText(told);
  const key = wish === 'wrong' ? `${store.account.secret_key}-other` : store.account.secret_key;
  return formText({ ...told, signature: signatureOf(Object.entries(wish === 'stale' ? fields : told), key) });
}

function delivery(store: Store, { ref_id, trx_id }: Transaction, url: string, body: string): Delivery {
  return {
    n: store.nextDelivery(),
    trx_id,
    ref_id,
    url,
    headers: FORM,
    body,
    from: null,
    repeat: false,
    state: 'waiting',
    due_ms: store.now(),
    attempts: [],
  };
}
