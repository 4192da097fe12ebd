import type { Transaction } from './model.js';
import type { Store } from './store.js';

/** One element of `GET /_sim/purchases`: all that was done under one reference. */
export interface PurchaseView {
  readonly ref_id: string;
  readonly sku: string;
  readonly customer_no: string;
  readonly testing: boolean;
  readonly channel: string;
  readonly status: string;
  readonly rc: string;
  readonly sn: string;
  readonly price: number;
  /** What is taken from the deposit for this reference at present. */
  readonly price_debited: number;
  /** How many transactions of the reference ever succeeded. */
  readonly times_bought: number;
  /** How many are Sukses at present. */
  readonly standing: number;
  readonly pending: number;
  readonly sends: number;
  readonly transactions: readonly Transaction[];
}

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
  const count = (passes: (each: Transaction) => boolean): number => transactions.filter(passes).length;
  return {
    ...{ ref_id, sku, customer_no, testing, channel, status, rc, sn, price },
    price_debited: transactions.reduce((sum, { debited }) => sum + debited, 0),
    times_bought: count(({ ever_succeeded }) => ever_succeeded),
    standing: count((each) => each.status === 'Sukses'),
    pending: count((each) => each.status === 'Pending'),
    sends: transactions.reduce((sum, each) => sum + each.sends, 0),
    transactions,
  };
}
