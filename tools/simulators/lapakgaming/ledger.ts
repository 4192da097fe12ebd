import { randomBytes, randomInt } from 'node:crypto';
import { someId } from '../common/ids.js';
import type { CallbackBehaviour } from '../common/rules.js';
import type { StateOf } from '../common/vendor.js';
import { endOf, planOrderCallback, planProductCallbacks } from './callbacks.js';
import { totalOf, type Wanted } from './checks.js';
import type { Status } from './codes.js';
import type { Catalogue, Order, OrderTransaction, Step } from './model.js';
import type { LapakStore } from './store.js';

export interface Course {
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

/** Accepts an order: it is on record, pending and debited. */
export function accept(store: LapakStore, wanted: Wanted, { steps, callback }: Course): Order {
  const { count, partner_reference_id, product, product_code } = wanted;
  const tid = newTid(store.now());
  const total_price = totalOf(wanted);
  const order: Order = {
    ...store.begun(),
    trx_id: tid,
    ref_id: partner_reference_id ?? tid,
    partner_reference_id,
    product_code,
    total_price,
    steps,
    callback,
    user_id: wanted.user_id,
    additional_id: wanted.additional_id,
    callback_url: wanted.callback_url,
    price: product?.price ?? 0,
    is_voucher: product !== undefined && store.category(product)?.variant === 'VOUCHER',
    status: 'PENDING',
    transactions: Array.from({ length: count }, () => newTransaction(product?.name ?? product_code)),
  };
  const catalogue = destocked(store, wanted);
  // I: an order is debited when it is accepted, and credited when it is refunded.
  const accepted = { ...order, debited: total_price };
  store.commitMove(order, accepted, {
    ...(catalogue && { catalogue, deliveries: planProductCallbacks(store, catalogue) }),
  });
  return accepted;
}

/** Moves an order as a step says: refunds it if needed, and plans callbacks. */
export function move(store: LapakStore, before: Order, step: StateOf<Order>): Order {
  const transactions = before.transactions.map((transaction, index) => {
    const status = step.transactions?.[index] ?? step.status;
    return {
      ...transaction,
      status,
      note: step.note ?? noteOf(status),
      ...voucherOf(store, before, transaction, status, step),
    };
  });
  const debited = before.price * transactions.filter(({ status }) => status !== 'REFUNDED').length;
  const after: Order = {
    ...before,
    transactions,
    debited,
    status: overall(store, transactions, step),
    ever_succeeded: before.ever_succeeded || transactions.some(({ status }) => status === 'SUCCESS'),
  };
  const isNews = endOf(after) !== endOf(before);
  store.commitMove(before, after, { deliveries: isNews ? planOrderCallback(store, after) : [] });
  return after;
}

/** The status of the whole order: that of the step, unless its transactions end differently. */
function overall(store: LapakStore, transactions: readonly OrderTransaction[], step: StateOf<Order>): Status {
  const isMixed = step.transactions !== undefined && transactions.length > 1;
  if (!isMixed) return step.status;
  const end = endOf({ transactions });
  if (end !== null) return end;
  const hasSuccess = transactions.some(({ status }) => status === 'SUCCESS');
  return hasSuccess ? store.readings.mixed_order_status : 'PENDING';
}

/** C: empty for direct top-ups. I: empty for refunds as well. */
function voucherOf(
  store: LapakStore,
  { is_voucher }: Order,
  transaction: OrderTransaction,
  status: Status,
  step: StateOf<Order>,
): Pick<OrderTransaction, 'voucher_code'> {
  if (status !== 'SUCCESS') return { voucher_code: '' };
  if (step.voucher_code !== undefined) return { voucher_code: step.voucher_code };
  if (!is_voucher) return { voucher_code: '' };
  return { voucher_code: transaction.voucher_code || newVoucher(store) };
}

function newVoucher(store: LapakStore): string {
  const code = randomBytes(8).toString('hex').toUpperCase();
  if (store.readings.voucher_code_form === 'code') return code;
  return `PIN : ${code}\tSerial : ${someId()}`;
}

const noteOf = (status: Status): string => (status === 'REFUNDED' ? 'Order refunded' : '');

/** D: R or RA, the seconds since 1970, and eight digits. */
function newTid(nowMs: number): string {
  return `RA${Math.floor(nowMs / 1_000)}${randomInt(1e7, 1e8)}`;
}

function newTransaction(product_name: string): OrderTransaction {
  return { id: someId(), product_name, note: '', status: 'PENDING', voucher_code: '' };
}

/** The catalogue with less stock of the sold product, if the product counts stock. */
function destocked(store: LapakStore, { count, product }: Wanted): Catalogue | undefined {
  if (product === undefined || product.stock === null) return undefined;
  const stock = Math.max(product.stock - count, 0);
  const { catalogue } = store;
  const products = catalogue.products.map((each) => (each.code === product.code ? { ...each, stock } : each));
  return { ...catalogue, at_ms: store.now(), products };
}
