import { decimalOf } from '../common/amounts.js';
import type { Json } from '../common/shapes.js';
import { ACCEPTED, CODES } from './codes.js';
import type { Reply, Transaction } from './model.js';
import type { Store } from './store.js';

/** The vendor counts in hundredths of a baht. */
export const DIGITS = 2;

/** Satang as the vendor writes them in an answer. */
export function amountOf(store: Store, satang: number): string | number {
  const text = decimalOf(satang, DIGITS);
  return store.readings.amount_type === 'text' ? text : Number(text);
}

export function refused(store: Store, code: string, more: Json = {}, decision = 'refused'): Reply {
  const data = { code, desc: CODES.get(code) ?? `Code ${code}`, ...more };
  return { http: store.readings.refusal_http_status, data, decision, about: { code } };
}

export function answered(data: Json): Reply {
  return { http: 200, data: { code: ACCEPTED, ...data }, decision: 'told', about: { code: ACCEPTED } };
}

export function accepted(store: Store, transaction: Transaction): Reply {
  const { bill_id, queue_id, total, trx_id } = transaction;
  const data = {
    code: ACCEPTED,
    bill_id: idOf(store, bill_id),
    transaction_id: idOf(store, trx_id),
    queue_id: idOf(store, queue_id),
    total_amount: amountOf(store, total),
    balance: amountOf(store, store.account.available),
  };
  return { http: 200, data, decision: 'accepted', about: { code: ACCEPTED }, transaction };
}

export function idOf(store: Store, id: string): string | number {
  return store.readings.id_type === 'text' ? id : Number(id);
}
