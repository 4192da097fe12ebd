import { groupBy } from '../core/groups.js';
import type { Satang } from '../core/money.js';
import type { ListedOffer } from './offers.repository.js';

/**
 * The offer at which the service buys a product now, unless the offer is not for the player: the first routable offer. If no offer is routable, this is the offer that
 * operators should check first: the first active offer, or else the first offer of all.
 * @param offers of one product, in the order in which routing tries them.
 */
export const offerInUse = (offers: readonly ListedOffer[]): ListedOffer | null =>
  offers.find(({ why_not }) => why_not === null) ?? offers.find(({ active }) => active) ?? offers[0] ?? null;

/** The present cost of a unit at that offer; null if it is unknown. */
export function costInUse(offers: readonly ListedOffer[]): Satang | null {
  const cost = offerInUse(offers)?.cost ?? null;
  return cost === null ? null : BigInt(cost);
}

/** The offers of each product, by SKU. */
export const bySku = (offers: readonly ListedOffer[]): Map<string, ListedOffer[]> => groupBy(offers, ({ sku }) => sku);
