import { randomBytes, randomInt } from 'node:crypto';
import type { CallbackBehaviour } from '../common/rules.js';
import { endOf, planOrderCallback, planProductCallbacks } from './callbacks.js';
import { totalOf, type Wanted } from './checks.js';
import type { Status } from './codes.js';
import type { Catalogue, Order, Piece, Step } from './model.js';
import type { LapakStore } from './store.js';

export interface Course {
  readonly steps: readonly Step[];
  readonly callback: CallbackBehaviour;
}

/** Accepts an order: it is on record, pending and debited. */
export function accept(store: LapakStore, wanted: Wanted, { steps, callback }: Course): Order {
  const { count, partner_reference_id, product, product_code } = wanted;
  const now = store.now();
  const tid = newTid(now);
  const total_price = totalOf(wanted);
  const order: Order = {
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
    transactions: Array.from({ length: count }, () => newPiece(product?.name ?? product_code)),
    // I: an order is debited when it is accepted, and gets its money back when it is refunded.
    debited: total_price,
    ever_succeeded: false,
    sends: 1,
    made_at_ms: now,
    last_sent_ms: now,
  };
  const catalogue = destocked(store, wanted);
  store.commit({
    transactions: [order],
    account: { ...store.account, balance: store.account.balance - total_price },
    ...(catalogue && { catalogue, deliveries: planProductCallbacks(store, catalogue) }),
  });
  return order;
}

/** Moves an order to what a step says: refunds what it refunds, and calls back. */
export function move(store: LapakStore, before: Order, step: Omit<Step, 'due_ms'>): Order {
  const transactions = before.transactions.map((piece, index) => {
    const status = step.transactions?.[index] ?? step.status;
    return {
      ...piece,
      status,
      note: step.note ?? noteOf(status),
      ...voucherOf(store, before, piece, status, step),
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
  store.commit({
    transactions: [after],
    deliveries: isNews ? planOrderCallback(store, after) : [],
    ...(debited !== before.debited && {
      account: { ...store.account, balance: store.account.balance + before.debited - debited },
    }),
  });
  return after;
}

/** Notes that the reference was sent once more. */
export function sentAgain(store: LapakStore, order: Order): Order {
  const again = { ...order, sends: order.sends + 1, last_sent_ms: store.now() };
  store.commit({ transactions: [again] });
  return again;
}

/** What is said of the order as a whole: what the step says, unless its pieces come to different ends. */
function overall(store: LapakStore, pieces: readonly Piece[], step: Omit<Step, 'due_ms'>): Status {
  const isMixed = step.transactions !== undefined && pieces.length > 1;
  if (!isMixed) return step.status;
  const end = endOf({ transactions: pieces });
  if (end !== null) return end;
  const hasSuccess = pieces.some(({ status }) => status === 'SUCCESS');
  return hasSuccess ? store.readings.mixed_order_status : 'PENDING';
}

/** C: empty for what is topped up; I: and for what is refunded. */
function voucherOf(
  store: LapakStore,
  { is_voucher }: Order,
  piece: Piece,
  status: Status,
  step: Omit<Step, 'due_ms'>,
): Pick<Piece, 'voucher_code'> {
  if (status !== 'SUCCESS') return { voucher_code: '' };
  if (step.voucher_code !== undefined) return { voucher_code: step.voucher_code };
  if (!is_voucher) return { voucher_code: '' };
  return { voucher_code: piece.voucher_code || newVoucher(store) };
}

function newVoucher(store: LapakStore): string {
  const code = randomBytes(8).toString('hex').toUpperCase();
  if (store.readings.voucher_code_form === 'code') return code;
  return `PIN : ${code}\tSerial : ${randomInt(1e8, 1e9)}`;
}

const noteOf = (status: Status): string => (status === 'REFUNDED' ? 'Order refunded' : '');

/** D: R or RA, the seconds since 1970, and eight digits. */
function newTid(nowMs: number): string {
  return `RA${Math.floor(nowMs / 1_000)}${randomInt(1e7, 1e8)}`;
}

function newPiece(product_name: string): Piece {
  return { id: String(randomInt(1e8, 1e9)), product_name, note: '', status: 'PENDING', voucher_code: '' };
}

/** The catalogue without the pieces that were sold, where the product counts them. */
function destocked(store: LapakStore, { count, product }: Wanted): Catalogue | undefined {
  if (product === undefined || product.stock === null) return undefined;
  const stock = Math.max(product.stock - count, 0);
  const { catalogue } = store;
  const products = catalogue.products.map((each) => (each.code === product.code ? { ...each, stock } : each));
  return { ...catalogue, at_ms: store.now(), products };
}
