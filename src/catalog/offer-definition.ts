import { textProblem } from '../core/text.js';
import type { OfferKey, OfferRow } from './offers.repository.js';
import { playerTemplateProblem } from '../suppliers/player-template.js';
import type { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import type { SupplierOffer } from './supplier-offer.entity.js';

export const MAX_PRIORITY = 1000;
const DEFAULT_GUARD_PERCENT = '5.00';

/** The SKUs and the code of the supplier that name an offer. */
export interface OfferName {
  sku: string;
  supplier: string;
  supplierSku: string;
}

/** What an offer is to be. What is not given stays as it is; a new offer has its defaults for it. */
export interface OfferDefinition extends OfferName {
  priority?: number;
  /** Of one piece, in millionths of the currency; null for unknown. */
  costMicros?: bigint | null;
  /** Needed with a cost, unless the offer has one in this currency already. */
  currency?: string;
  /** Null for the adapter's own way. */
  playerTemplate?: string | null;
  guardPercent?: string;
  active?: boolean;
}

/** Why an offer cannot be as it is defined; null when it can. @param before undefined for a new offer. */
export function offerProblem(
  { supplierSku, costMicros, currency, playerTemplate }: OfferDefinition,
  before: SupplierOffer | null,
): string | null {
  const skuProblem = textProblem(supplierSku, 1, 128);
  if (skuProblem !== null) return `supplier_sku ${skuProblem}`;
  const templateProblem = playerTemplate ? playerTemplateProblem(playerTemplate) : null;
  if (templateProblem !== null) return `player_template ${templateProblem}`;
  const hasCost = costMicros !== undefined && costMicros !== null;
  if (currency !== undefined && !hasCost) return 'a currency needs a cost in it';
  if (hasCost && (currency ?? before?.cost_currency ?? null) === null) return 'a cost needs its currency';
  return null;
}

interface RowContext {
  before: SupplierOffer | null;
  item: SupplierProduct | null;
  reason?: string;
  now: Date;
}

/**
 * What an offer becomes.
 * @param item what the supplier's catalogue says of it: a new offer that is given no cost has that one.
 * @param reason why it is taken off, where it is.
 * @param now when a cost that is given was known.
 */
export function toRow(key: OfferKey, definition: OfferDefinition, { before, item, reason, now }: RowContext): OfferRow {
  const { active, playerTemplate } = definition;
  return {
    ...key,
    priority: definition.priority ?? before?.priority ?? 1,
    active: active ?? before?.active ?? true,
    // Whoever says whether it is on takes that over from a fault.
    off_by_fault: active === undefined ? (before?.off_by_fault ?? false) : false,
    off_reason: active === undefined ? (before?.off_reason ?? null) : active ? null : (reason ?? null),
    player_template: playerTemplate === undefined ? (before?.player_template ?? null) : playerTemplate,
    guard_percent: definition.guardPercent ?? before?.guard_percent ?? DEFAULT_GUARD_PERCENT,
    ...costOf(definition, before ?? (item && reportedCost(item)), now),
  };
}

type Cost = Pick<SupplierOffer, 'cost_micros' | 'cost_currency' | 'cost_at'>;

const NO_COST: Cost = { cost_micros: null, cost_currency: null, cost_at: null };

const reportedCost = ({ cost_micros, cost_currency, last_seen_at }: SupplierProduct): Cost =>
  cost_micros === null ? NO_COST : { cost_micros, cost_currency, cost_at: last_seen_at };

function costOf({ costMicros, currency }: OfferDefinition, before: Cost | null, now: Date): Cost {
  if (costMicros === null) return NO_COST;
  if (costMicros === undefined) {
    const { cost_micros, cost_currency, cost_at } = before ?? NO_COST;
    return { cost_micros, cost_currency, cost_at };
  }
  return { cost_micros: costMicros, cost_currency: currency ?? before?.cost_currency ?? null, cost_at: now };
}
