import { type Message, plannedCallbacks } from '../common/callbacks.js';
import { formMessage, textMembers } from '../common/form.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import type { Transaction } from './model.js';
import { orderData, outcomeOf } from './replies.js';
import type { CallbackBehaviour } from './rules.js';
import { signatureOf } from './signatures.js';
import type { Store } from './store.js';

/** C: the fields of a callback, which has no cards. */
function callbackFields(store: Store, order: Transaction): Record<string, string> {
  const { cards: _, ...data } = orderData(store, order);
  return textMembers(data);
}

/** The callbacks that a change of `order` causes; none where no address is set. */
export function planCallbacks(store: Store, order: Transaction, isNew: boolean): Delivery[] {
  const { callback } = order;
  const { callback_url: url } = store.account;
  const isLast = outcomeOf(order) !== 'pending';
  if (url === null || callback.mode === 'never') return [];
  if (store.readings.callback_of === 'last_state' && !isLast) return [];
  return plannedCallbacks(store, order, { ...forgedMessage(store, order, callback), url }, isNew);
}

/** The form of a callback; a stale signature is that of the fields before `set`, or of another amount. */
export function forgedMessage(
  store: Store,
  order: Transaction,
  wanted: Forged<CallbackBehaviour>,
): Omit<Message, 'url'> {
  const fields = callbackFields(store, order);
  const set = textMembers(wanted.set ?? {});
  const { signature: wish } = wanted;
  const isOther = wish === 'stale' && Object.keys(set).length === 0;
  const sent = { ...fields, ...set, ...(isOther && { pay_amount: `${fields.pay_amount}1` }) };
  if (wish === 'absent') return formMessage(sent);
  const key = wish === 'wrong' ? `${store.account.secret_key}-other` : store.account.secret_key;
  return formMessage({ ...sent, signature: signatureOf(Object.entries(wish === 'stale' ? fields : sent), key) });
}
