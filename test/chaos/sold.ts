import type { ChaosSystem } from './system.js';
import type { Vendor } from './vendor.js';
import type { AnswerCode } from './vendors/vendor-kind.js';

/** A supplier's record of a reference. */
export interface Sold {
  reference: string;
  sku: string;
  /** The player in the requests to the supplier; null if they have none, such as for a card. */
  player: string | null;
  outcome: 'succeeded' | 'failed' | 'processing';
  /** The possible references of the supplier. */
  names: string[];
  /** The delivered codes. */
  codes: string[];
  failureCode: string | null;
  /** The number of its sends. */
  received: number;
  /** The number of sales, and of those that were not taken back. More than one is always wrong. */
  timesBought: number;
  standing: number;
  /** The shortest time between two sends, by the supplier's clock; null if the supplier does not report it, or after one send. */
  sentApartMs: number | null;
  /** The vendor; null for the supplier of our own protocol. */
  vendor: AnswerCode | null;
}

export interface Purchase {
  reference: string;
  sku: string;
  user_id: string;
  outcome: Sold['outcome'];
  failure_code: string | null;
  supplier_reference: string | null;
  received: number;
  /** All its references at the supplier, if there may be several. */
  names?: string[];
  times_bought?: number;
  sent_apart_ms?: number | null;
}

/** The records of all suppliers. A reference that two of them have is there twice. */
export async function readSold(system: Pick<ChaosSystem, 'purchases' | 'vendors'>): Promise<Sold[]> {
  const [purchases, ...atVendors] = await Promise.all([
    system.purchases<Purchase>(),
    ...system.vendors.map(readSoldAt),
  ]);
  return [
    ...purchases.map((purchase): Sold => ({
      reference: purchase.reference,
      sku: purchase.sku,
      player: purchase.user_id,
      outcome: purchase.outcome,
      names: purchase.names ?? (purchase.supplier_reference === null ? [] : [purchase.supplier_reference]),
      codes: [],
      failureCode: purchase.failure_code,
      received: purchase.received,
      ...timesOf(purchase),
      sentApartMs: purchase.sent_apart_ms ?? null,
      vendor: null,
    })),
    ...atVendors.flat(),
  ];
}

function timesOf({ outcome, times_bought: timesBought }: Purchase): Pick<Sold, 'standing' | 'timesBought'> {
  const times = timesBought ?? (outcome === 'succeeded' ? 1 : 0);
  return { timesBought: times, standing: times };
}

async function readSoldAt(vendor: Vendor): Promise<Sold[]> {
  const { code, namesOf, playerIn, codesIn } = vendor.kind;
  return (await vendor.purchases()).map((purchase) => ({
    reference: purchase.ref_id,
    sku: purchase.sku,
    player: playerIn(purchase),
    outcome: purchase.standing > 0 ? 'succeeded' : purchase.pending > 0 ? 'processing' : 'failed',
    names: namesOf(purchase),
    codes: codesIn(purchase),
    failureCode: null,
    received: purchase.sends,
    timesBought: purchase.times_bought,
    standing: purchase.standing,
    sentApartMs: null,
    vendor: code,
  }));
}
