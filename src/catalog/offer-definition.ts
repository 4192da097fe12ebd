import { textProblem } from '../core/text.js';
import type { OfferKey, OfferRow } from './offers.repository.js';
import { playerTemplateProblem } from '../suppliers/player-template.js';
import type { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import type { SupplierOffer } from './supplier-offer.entity.js';

export const MAX_PRIORITY = 1000;
const DEFAULT_GUARD_PERCENT = '5.00';

/** Identifies an offer by our SKU, the supplier's code and the supplier's SKU. */
export interface OfferName {
  sku: string;
  supplier: string;
  supplierSku: string;
}

/** The wanted state of an offer. An absent member keeps its value, or gets a default in a new offer. */
export interface OfferDefinition extends OfferName {
  priority?: number;
  /** The cost of one unit, in millionths of the currency; null for unknown. */
  costMicros?: bigint | null;
  /** Required with a cost, unless the offer already has a currency. */
  currency?: string;
  /** Null for the default template of the adapter. */
  playerTemplate?: string | null;
  guardPercent?: string;
  active?: boolean;
}

/** The problem of a definition; null if there is none. @param before null for a new offer. */
export function offerProblem(
  { supplierSku, costMicros, currency, playerTemplate }: OfferDefinition,
  before: SupplierOffer | null,
): string | null {
  const skuProblem = textProblem(supplierSku, 1, 128);
  if (skuProblem !== null) return `supplier_sku ${skuProblem}`;
  const templateProblem = playerTemplate ? playerTemplateProblem(playerTemplate) : null;
  if (templateProblem !== null) return `player_template ${templateProblem}`;
  const hasCost = costMicros !== undefined && costMicros !== null;
  if (currency !== undefined && !hasCost) return 'a currency needs a cost';
  if (hasCost && (currency ?? before?.cost_currency ?? null) === null) return 'a cost needs its currency';
  return null;
}

interface RowContext {
  before: SupplierOffer | null;
  supplierProduct: SupplierProduct | null;
  reason?: string;
  now: Date;
}

/**
 * The row of an offer after a change.
 * @param supplierProduct the offer's item in the supplier's catalogue: its cost is the default cost of a new offer.
 * @param reason the operator's reason, which the row stores if the operator switches the offer off.
 * @param now the time of the given cost, if any, and of switching off.
 */
export function toRow(
  key: OfferKey,
  definition: OfferDefinition,
  { before, supplierProduct, reason, now }: RowContext,
): OfferRow {
  const { active, playerTemplate } = definition;
  const isOn = active ?? before?.active ?? true;
  return {
    ...key,
    priority: definition.priority ?? before?.priority ?? 1,
    active: isOn,
    off_at: isOn ? null : before?.active === false ? before.off_at : now,
    // If an operator switches the offer on or off, an earlier switch by a fault no longer counts.
    off_by_fault: active === undefined ? (before?.off_by_fault ?? false) : false,
    off_reason: active === undefined ? (before?.off_reason ?? null) : active ? null : (reason ?? null),
    player_template: playerTemplate === undefined ? (before?.player_template ?? null) : playerTemplate,
    guard_percent: definition.guardPercent ?? before?.guard_percent ?? DEFAULT_GUARD_PERCENT,
    ...costOf(definition, before ?? (supplierProduct && reportedCost(supplierProduct)), now),
  };
}

type Cost = Pick<SupplierOffer, 'cost_micros' | 'cost_currency' | 'cost_at'>;

const NO_COST: Cost = { cost_micros: null, cost_currency: null, cost_at: null };

const reportedCost = ({ cost_micros, cost_currency, cost_at }: SupplierProduct): Cost =>
  cost_micros === null ? NO_COST : { cost_micros, cost_currency, cost_at };

function costOf({ costMicros, currency }: OfferDefinition, before: Cost | null, now: Date): Cost {
  if (costMicros === null) return NO_COST;
  if (costMicros === undefined) {
    const { cost_micros, cost_currency, cost_at } = before ?? NO_COST;
    return { cost_micros, cost_currency, cost_at };
  }
  return { cost_micros: costMicros, cost_currency: currency ?? before?.cost_currency ?? null, cost_at: now };
}
