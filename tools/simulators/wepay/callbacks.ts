import { type Message, plannedCallbacks } from '../common/callbacks.js';
import { formMessage, textMembers } from '../common/form.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import { outcomeOf } from './codes.js';
import type { Transaction } from './model.js';
import type { Store } from './store.js';

/** C: the fields of a callback, and the place of a cash card's PIN. */
function callbackFields(store: Store, transaction: Transaction): Record<string, string> {
  const { operator_trxnsid, ref_id: dest_ref, status, trx_id: transaction_id } = transaction;
  const card = cardFields(transaction, store.readings.pin_in_callback);
  return { dest_ref, transaction_id, status, sms: '', operator_trxnsid, ...card };
}

/** Serial and PIN in the place that `where` names; empty if there are none. */
export function cardFields({ pin, serial }: Transaction, where: 'fields' | 'sms' | 'absent'): Record<string, string> {
  if (pin === '' || where === 'absent') return {};
  if (where === 'sms') return { sms: `serial_no:${serial},password:${pin}` };
  return { cashcard_ref1: serial, cashcard_ref2: pin };
}

/** The callbacks that a change of `transaction` causes. */
export function planCallbacks(store: Store, transaction: Transaction, isNew: boolean): Delivery[] {
  const { callback, resp_url: url } = transaction;
  const isFinal = outcomeOf(transaction) !== 'pending';
  const isReported = isFinal || callback.mode === 'out_of_order' || store.readings.pending_callback === 'sent';
  if (url === null || callback.mode === 'never' || !isReported) return [];
  return plannedCallbacks(store, transaction, { ...forgedMessage(store, transaction), url }, isNew);
}

/** A callback with the fields that a test wants it to have. */
export function forgedMessage(store: Store, transaction: Transaction, { set = {} }: Forged = {}): Omit<Message, 'url'> {
  return formMessage({ ...callbackFields(store, transaction), ...textMembers(set) });
}
