import { countsOf, type PurchaseCounts } from '../common/vendor.js';
import { endOf } from './callbacks.js';
import type { Order } from './model.js';
import type { LapakStore } from './store.js';

/** One element of `GET /_sim/purchases`: all that was ordered under one reference. */
export interface PurchaseView extends PurchaseCounts {
  readonly ref_id: string;
  readonly tid: string;
  readonly sku: string;
  readonly user_id: string;
  readonly additional_id: string;
  readonly status: string;
  readonly price: number;
  readonly voucher_codes: readonly string[];
  readonly transactions: readonly Order[];
}

/** The orders under every reference, or under one; the upper members are those of the latest. */
export function purchasesOf(store: LapakStore, refId: string | null): PurchaseView[] {
  const references = refId === null ? Array.from(store.references()) : [refId];
  return references.flatMap((reference) => {
    const orders = store.underReference(reference);
    const latest = orders.at(-1);
    return latest ? [viewOf(latest, orders)] : [];
  });
}

function viewOf(latest: Order, orders: readonly Order[]): PurchaseView {
  const { additional_id, product_code: sku, ref_id, status, total_price: price, trx_id: tid, user_id } = latest;
  return {
    ref_id,
    tid,
    sku,
    user_id,
    additional_id,
    status,
    price,
    voucher_codes: latest.transactions.flatMap(({ voucher_code }) => (voucher_code === '' ? [] : [voucher_code])),
    ...countsOf(orders, outcomeOf),
    transactions: orders,
  };
}

/** An order of which some pieces are done and others are not is not done. */
function outcomeOf(order: Order): 'succeeded' | 'pending' | 'failed' {
  const end = endOf(order);
  if (end === 'SUCCESS') return 'succeeded';
  return end === 'REFUNDED' ? 'failed' : 'pending';
}
