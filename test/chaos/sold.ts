import type { ChaosSystem } from './system.js';

/** What a supplier has on record under a reference. */
export interface Sold {
  reference: string;
  sku: string;
  /** Whom it is for, as the supplier was told. */
  player: string;
  outcome: 'succeeded' | 'failed' | 'processing';
  /** What the supplier calls it, as far as it tells. */
  name: string | null;
  failureCode: string | null;
  /** How often it was asked for. */
  received: number;
  /** How often it was bought; more than once is never right. */
  timesBought: number;
  /** What is taken for it now, in rupiah; null at the supplier that tells no costs. */
  debited: number | null;
}

interface Purchase {
  reference: string;
  sku: string;
  user_id: string;
  outcome: Sold['outcome'];
  failure_code: string | null;
  supplier_reference: string | null;
  received: number;
}

/** What all suppliers have on record; a reference that two of them know is there twice. */
export async function readSold(system: ChaosSystem): Promise<Sold[]> {
  const [purchases, vendors] = await Promise.all([system.purchases<Purchase>(), system.vendor.purchases()]);
  return [
    ...purchases.map((purchase) => ({
      reference: purchase.reference,
      sku: purchase.sku,
      player: purchase.user_id,
      outcome: purchase.outcome,
      name: purchase.supplier_reference,
      failureCode: purchase.failure_code,
      received: purchase.received,
      timesBought: purchase.outcome === 'succeeded' ? 1 : 0,
      debited: null,
    })),
    ...vendors.map((purchase): Sold => ({
      reference: purchase.ref_id,
      sku: purchase.sku,
      player: purchase.customer_no,
      outcome: purchase.standing > 0 ? 'succeeded' : purchase.pending > 0 ? 'processing' : 'failed',
      name: purchase.transactions.at(-1)?.trx_id ?? null,
      failureCode: null,
      received: purchase.sends,
      timesBought: purchase.times_bought,
      debited: purchase.price_debited,
    })),
  ];
}
