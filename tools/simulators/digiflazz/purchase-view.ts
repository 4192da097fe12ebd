import { countsOf, type PurchaseCounts } from '../common/vendor.js';
import type { Status } from './codes.js';
import type { Transaction } from './model.js';
import type { Store } from './store.js';

/** One element of `GET /_sim/purchases`: all that was done under one reference. */
export interface PurchaseView extends PurchaseCounts {
  readonly ref_id: string;
  readonly sku: string;
  readonly customer_no: string;
  readonly testing: boolean;
  readonly channel: string;
  readonly status: string;
  readonly rc: string;
  readonly sn: string;
  readonly price: number;
  readonly transactions: readonly Transaction[];
}

const OUTCOMES = { Sukses: 'succeeded', Pending: 'pending', Gagal: 'failed' } as const satisfies Record<Status, string>;

/** The purchases under every reference, or under one; the upper members are those of the latest. */
export function purchasesOf(store: Store, refId: string | null): PurchaseView[] {
  const references = refId === null ? Array.from(store.references()) : [refId];
  return references.flatMap((reference) => {
    const transactions = store.underReference(reference);
    const latest = transactions.at(-1);
    return latest ? [viewOf(latest, transactions)] : [];
  });
}

function viewOf(latest: Transaction, transactions: readonly Transaction[]): PurchaseView {
  const { ref_id, buyer_sku_code: sku, customer_no, testing, channel, status, rc, sn, price } = latest;
  return {
    ref_id,
    sku,
    customer_no,
    testing,
    channel,
    status,
    rc,
    sn,
    price,
    ...countsOf(transactions, (each) => OUTCOMES[each.status]),
    transactions,
  };
}
