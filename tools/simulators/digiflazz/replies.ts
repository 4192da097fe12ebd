import { codeOf, type Status } from './codes.js';
import type { Product, Reply, Transaction } from './model.js';
import { type DigiflazzCall, textOf } from './requests.js';
import type { Store } from './store.js';

/** A refusal of a call that is not about a transaction. */
export function refusedCall(store: Store, rc: string, why?: string): Reply {
  const { message, status } = codeOf(rc);
  const data = { rc, status, message: why ? `${message}: ${why}` : message };
  return { http: store.readings.refusal_http_status, data, decision: 'refused', about: { rc } };
}

/** A refusal that forms no transaction. I: the answer has its usual fields, as far as they are known. */
export function refusedTransaction(store: Store, call: DigiflazzCall, rc: string, why?: string): Reply {
  const { message, status } = codeOf(rc);
  const sku = textOf(call.fields, 'buyer_sku_code') ?? '';
  const product: Product | undefined = store.product(sku);
  // Callers without a proof of identity must not learn the deposit.
  const isKnown = !['40', '41', '42', '45'].includes(rc);
  const data = {
    ref_id: textOf(call.fields, 'ref_id') ?? '',
    customer_no: textOf(call.fields, 'customer_no') ?? '',
    buyer_sku_code: sku,
    message: why ? `${message}: ${why}` : message,
    status,
    rc,
    sn: '',
    ...(isKnown && { buyer_last_saldo: store.account.deposit, price: product?.price ?? 0 }),
  };
  return { http: store.readings.refusal_http_status, data, decision: 'refused', about: { rc } };
}

const DECISIONS: Readonly<Record<Status, string>> = { Sukses: 'bought', Pending: 'pending', Gagal: 'failed' };

/** The state of a transaction. */
export function stateOf(transaction: Transaction, isRepeat: boolean): Reply {
  const { ref_id, customer_no, buyer_sku_code, message, status, rc } = transaction;
  const { sn, buyer_last_saldo, price } = transaction;
  const about = { ref_id, customer_no, buyer_sku_code, message, status, rc };
  const data = { ...about, sn, buyer_last_saldo, price, tele: '', wa: '' };
  return { http: 200, data, decision: isRepeat ? 'repeated' : DECISIONS[status], about: { rc }, transaction };
}

/** `reply` with another code in its `data`, independent of the record. */
export function withCode(reply: Reply, rc: string, decision = reply.decision): Reply {
  const { message, status } = codeOf(rc);
  return { ...reply, data: { ...reply.data, rc, status, message, sn: '' }, about: { rc }, decision };
}
