import type { ChaosSystem } from './system.js';
import type { Vendor } from './vendor.js';
import type { VendorCode } from './vendors/vendor-kind.js';

/** What a supplier has on record under a reference. */
export interface Sold {
  reference: string;
  sku: string;
  /** The player in the requests to the supplier; null where they name none, as for a card. */
  player: string | null;
  outcome: 'succeeded' | 'failed' | 'processing';
  /** What the supplier may call it. */
  names: string[];
  /** What it handed over. */
  codes: string[];
  failureCode: string | null;
  /** How often it was asked for. */
  received: number;
  /** How often it was bought, and how many of these stand; more than once is never right. */
  timesBought: number;
  standing: number;
  /** How soon it was sent again, by the supplier's clock; null where the supplier does not report that, or it was sent once. */
  sentApartMs: number | null;
  /** At which vendor; null at the supplier of our own protocol. */
  vendor: VendorCode | null;
}

export interface Purchase {
  reference: string;
  sku: string;
  user_id: string;
  outcome: Sold['outcome'];
  failure_code: string | null;
  supplier_reference: string | null;
  received: number;
  /** Where it may be more than one. */
  names?: string[];
  times_bought?: number;
  sent_apart_ms?: number | null;
}

/** What all suppliers have on record; a reference that two of them know is there twice. */
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
