import { storable } from '../../core/text.js';
import type { ReportedPurchase } from '../reconciliation/unknown-purchases.repository.js';
import type { CallbackReading } from '../../suppliers/supplier-adapter.js';
import { outcomeDetail, type SupplierOutcome } from '../../suppliers/supplier-outcome.js';
import type { PurchaseNames } from './supplier-callbacks.repository.js';

const MAX_TEXT_LENGTH = 255;
const MAX_DETAIL_LENGTH = 500;

/**
 * Makes a reported purchase from a callback that belongs to no attempt of ours.
 * @param names the callback's references, in a form that can be stored.
 * @returns null if the callback names no purchase.
 */
export function reportedPurchase(
  { outcome: reported, purchase = {} }: Extract<CallbackReading, { kind: 'about' }>,
  { reference, supplierReference }: PurchaseNames,
): ReportedPurchase | null {
  if (reference === null && supplierReference === null) return null;
  const outcome =
    typeof reported === 'function'
      ? reported({ sku: purchase.sku ?? '', reference: reference ?? '', supplierReference })
      : reported;
  return {
    reference,
    supplierReference,
    boughtAt: null,
    state: outcome ? stateOf(outcome) : null,
    sku: textOf(purchase.sku),
    player: textOf(purchase.player),
    cost: (outcome && 'cost' in outcome && outcome.cost) || purchase.cost || null,
    detail: detailOf(outcome),
  };
}

/** Null for other outcomes, because they prove nothing about the purchase. */
const stateOf = ({ kind }: SupplierOutcome): ReportedPurchase['state'] =>
  kind === 'succeeded' || kind === 'failed' || kind === 'processing' ? kind : null;

function detailOf(outcome: SupplierOutcome | undefined): string {
  if (!outcome) return 'reported by a callback without proof: query the supplier';
  const more = outcomeDetail(outcome);
  return storable(`called back: ${outcome.kind}${more === null ? '' : `, ${more}`}`, MAX_DETAIL_LENGTH);
}

const textOf = (text: string | undefined): string | null =>
  text === undefined ? null : storable(text, MAX_TEXT_LENGTH) || null;
