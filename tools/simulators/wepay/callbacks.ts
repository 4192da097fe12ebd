import { formText } from '../common/form.js';
import type { Delivery } from '../common/model.js';
import type { Forged } from '../common/vendor.js';
import { outcomeOf } from './codes.js';
import type { Transaction } from './model.js';
import type { Store } from './store.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** C: what a callback says, and where the PIN of a cash card is in it. */
function callbackFields(store: Store, transaction: Transaction): Record<string, string> {
  const { operator_trxnsid, ref_id: dest_ref, status, trx_id: transaction_id } = transaction;
  const card = cardFields(transaction, store.readings.pin_in_callback);
  return { dest_ref, transaction_id, status, sms: '', operator_trxnsid, ...card };
}

/** Serial and PIN as `where` says; nothing where there are none. */
export function cardFields({ pin, serial }: Transaction, where: 'fields' | 'sms' | 'absent'): Record<string, string> {
  if (pin === '' || where === 'absent') return {};
  if (where === 'sms') return { sms: `serial_no:${serial},password:${pin}` };
  return { cashcard_ref1: serial, cashcard_ref2: pin };
}

/** The callbacks that a change of `transaction` gives rise to. */
export function planCallbacks(store: Store, transaction: Transaction, isNew: boolean): Delivery[] {
  const { callback, resp_url } = transaction;
  const isFinal = outcomeOf(transaction) !== 'pending';
  const isTold = isFinal || callback.mode === 'out_of_order' || store.readings.pending_callback === 'sent';
  if (resp_url === null || callback.mode === 'never' || !isTold) return [];

  const body = formText(callbackFields(store, transaction));
  const first: Delivery = {
    ...delivery(store, transaction, resp_url, body),
    from: callback.from ?? null,
    state: callback.mode === 'out_of_order' && isNew ? 'held' : 'waiting',
    due_ms: store.now() + (callback.delay_ms ?? 0),
  };
  return callback.mode === 'twice' ? [first, { ...first, n: first.n + 1, repeat: true }] : [first];
}

/** A callback with whatever fields a test wants it to have. */
export function planForged(store: Store, transaction: Transaction, wanted: Forged): Delivery | null {
  const url = wanted.url ?? transaction.resp_url;
  if (url === null) return null;
  const set = Object.entries(wanted.set ?? {}).map(([name, value]) => [name, String(value)] as const);
  const body = formText({ ...callbackFields(store, transaction), ...Object.fromEntries(set) });
  return { ...delivery(store, transaction, url, body), from: wanted.from ?? null };
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
