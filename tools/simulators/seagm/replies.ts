import { decimalOf } from '../common/amounts.js';
import type { Json } from '../common/shapes.js';
import type { Reply, Transaction } from './model.js';
import type { Store } from './store.js';

/** Prices have up to four decimals. */
export const DIGITS = 4;
export const DONE = 10_003;
const FAILED = 10_004;
const REFUNDED = 10_005;
const LOWEST_OWN_CODE = 600;

const STATUS: Readonly<Record<number, string>> = {
  10_001: 'WAITING',
  10_002: 'SENDING',
  10_003: 'DONE',
  10_004: 'FAILED',
  10_005: 'REFUNDED',
};
const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  404: 'Not found',
  406: 'Insufficient credit',
  418: 'Banned',
  429: 'Too many requests',
  1002: 'Signature error',
  1021: 'Timestamp outside the window',
  1022: 'Signature error',
  1024: 'Timestamp outside the window',
};

/** Whether a purchase succeeded, is pending or failed. */
export function outcomeOf({ status_code }: Pick<Transaction, 'status_code'>): 'succeeded' | 'failed' | 'pending' {
  if (status_code === DONE) return 'succeeded';
  return status_code === FAILED || status_code === REFUNDED ? 'failed' : 'pending';
}

export function refused(store: Store, code: number, info: number | null = null, why?: string): Reply {
  const msg = why ?? MESSAGES[code] ?? `Error ${code}`;
  const error_info = info === null ? {} : { info_code: info, info_message: msg };
  const own = code < LOWEST_OWN_CODE ? code : 400;
  const http = store.readings.error_http_status === 'code' ? own : 200;
  const about = { code, info_code: info };
  return { http, body: { code, msg, error_info }, decision: 'refused', about };
}

export function answered(store: Store, data: unknown, more: Partial<Reply> = {}): Reply {
  const code = Number(store.readings.success_code);
  const body = { code, msg: 'success', data };
  return { http: 200, body, decision: 'told', about: { code, info_code: null }, ...more };
}

/** An amount in the vendor's format. */
export function amountOf(store: Store, units: number): string | number {
  const text = decimalOf(units, DIGITS).replace(/00$/, '');
  return store.readings.amount_type === 'text' ? text : Number(text);
}

/** C: the members of an order in an answer and in a callback. */
export function orderData(store: Store, order: Transaction): Json {
  const { buy_amount, currency, kind, ref_id, refunded_reason, status_code, trade_id, type_id } = order;
  const [outcome, total] = [outcomeOf(order), order.unit_price * buy_amount];
  return {
    id: order.trx_id,
    trade_id,
    type_id,
    currency,
    unit_price: amountOf(store, order.unit_price),
    buy_amount,
    pay_amount: amountOf(store, total),
    refunded_amount: amountOf(store, outcome === 'failed' && order.debited === 0 ? total : 0),
    refunded_reason,
    send_amount: outcome === 'succeeded' ? buy_amount : 0,
    pay_status_code: 2,
    // I: what the four states of sending are.
    send_status_code: { pending: status_code === 10_001 ? 1 : 2, succeeded: 3, failed: 4 }[outcome],
    status_code,
    status: STATUS[status_code] ?? '',
    timestamp: Math.floor(order.changed_at_ms / 1_000),
    mch_order_id: ref_id,
    ...(kind === 'card' && { cards: order.cards }),
  };
}
