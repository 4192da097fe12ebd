import { formatMicros } from '../core/cost-money.js';
import { formatBaht } from '../core/money.js';
import type { ListedOffer } from './offers.repository.js';
import type { Unroutable } from './routing.js';

/** An offer as operators see it. Amounts are in main units, such as baht or rupiah. */
export interface OfferView {
  sku: string;
  supplier: string;
  supplier_sku: string;
  priority: number;
  cost: string | null;
  currency: string | null;
  /** The cost at the present exchange rate; null without a cost or a fresh rate. */
  cost_baht: string | null;
  /** The list price minus the cost; null if `cost_baht` is null. */
  margin_baht: string | null;
  player_template: string | null;
  guard_percent: number;
  active: boolean;
  routable: boolean;
  /** The first reason why it is not routable, in words; null if it is routable. */
  why_not: string | null;
}

const toBaht = (satang: string | null): string | null => (satang === null ? null : formatBaht(BigInt(satang)));

export const toOfferView = (offer: ListedOffer): OfferView => ({
  sku: offer.sku,
  supplier: offer.supplier_code,
  supplier_sku: offer.supplier_sku,
  priority: offer.priority,
  cost: offer.cost_micros === null ? null : formatMicros(offer.cost_micros),
  currency: offer.cost_currency,
  cost_baht: toBaht(offer.cost),
  margin_baht: toBaht(offer.margin),
  player_template: offer.player_template,
  guard_percent: Number(offer.guard_percent),
  active: offer.active,
  routable: offer.why_not === null,
  why_not: offer.why_not === null ? null : WORDS[offer.why_not](offer),
});

const WORDS: Record<Unroutable, (offer: ListedOffer) => string> = {
  off: ({ off_reason }) => (off_reason === null ? 'it is off' : `it is off: ${off_reason}`),
  paused: ({ pause_reason }) => `the supplier is paused (${pause_reason})`,
  not_sold: () => 'the supplier does not sell it at present',
  cut_off: () => 'the supplier does not sell it at this time of the day',
  old_cost: ({ cost_at }) =>
    cost_at === null
      ? 'it is unknown when its cost was last read'
      : `its cost was last read at ${cost_at.toISOString()}, which is too long ago`,
  no_rate: ({ cost_currency }) => `there is no exchange rate of ${cost_currency} that is new enough`,
  no_margin: () => 'its cost eats the margin',
};
