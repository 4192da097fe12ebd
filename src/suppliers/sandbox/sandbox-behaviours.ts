import { failure, isUnitFailureCode, type Failure } from '../../core/failures.js';

/** The final result of a unit: sold, or refused for good. */
export type Result = { kind: 'sold' } | ({ kind: 'refused' } & Failure);

/**
 * How the supplier answers a purchase.
 * - `prompt`: at once, with the result.
 * - `late`: with the result, after `ms`.
 * - `processing`: "processing" until `ms` have passed.
 * - `silent`: without a readable answer, for the reason in `detail`. An inquiry returns the result.
 * - `lost`: also without a readable answer, because the purchase never arrived. An inquiry reports that it was never seen.
 */
type Manner =
  { kind: 'prompt' } | { kind: 'late' | 'processing'; ms: number } | { kind: 'silent' | 'lost'; detail: string };

export interface Behaviour {
  result: Result;
  manner: Manner;
}

/** The maximum time that a purchase may take: a day. */
const MAX_MS = 86_400_000;

const SOLD: Result = { kind: 'sold' };
const OUT_OF_STOCK: Result = { kind: 'refused', ...failure('OUT_OF_STOCK') };
const PROMPT: Manner = { kind: 'prompt' };

const silent = (detail: string): Manner => ({ kind: 'silent', detail });
const DROPPED = 'the connection was closed without an answer';

const BY_NAME: ReadonlyMap<string, Behaviour> = new Map([
  ['sim-drop-succeed', { result: SOLD, manner: silent(DROPPED) }],
  ['sim-drop-fail', { result: OUT_OF_STOCK, manner: silent(DROPPED) }],
  ['sim-500-succeed', { result: SOLD, manner: silent('HTTP 500') }],
  ['sim-500-fail', { result: OUT_OF_STOCK, manner: silent('HTTP 500') }],
  ['sim-garbage-succeed', { result: SOLD, manner: silent('the answer is not a JSON object') }],
  ['sim-lost', { result: SOLD, manner: { kind: 'lost', detail: DROPPED } }],
]);

/**
 * The behaviour that a `user_id` selects (docs/sandbox.md). Names are case-sensitive, failure codes are not. A purchase
 * for any other player succeeds at once.
 * @param sku the SKU of the product. The supplier does not know a SKU that begins with `SIM-UNKNOWN`.
 * @param unitNumber counted from 1 over all items of the order.
 */
export function behaviourOf(userId: string, sku: string, unitNumber: number): Behaviour {
  if (/^sim-unknown/i.test(sku)) return { result: { kind: 'refused', ...failure('ITEM_NOT_FOUND') }, manner: PROMPT };
  const named = BY_NAME.get(userId);
  if (named) return named;
  const code = /^sim-fail-(.+)$/s.exec(userId)?.[1]?.toUpperCase();
  if (code !== undefined) {
    const known = isUnitFailureCode(code) ? code : 'SUPPLIER_REJECTED';
    return { result: { kind: 'refused', ...failure(known) }, manner: PROMPT };
  }
  const [, name, digits] = /^sim-(partial|slow|processing)-(\d+)$/.exec(userId) ?? [];
  const count = Number(digits);
  if (name === 'partial') return { result: unitNumber <= count ? SOLD : OUT_OF_STOCK, manner: PROMPT };
  const ms = Math.min(count, MAX_MS);
  if (name === 'slow') return { result: SOLD, manner: { kind: 'late', ms } };
  if (name === 'processing') return { result: SOLD, manner: { kind: 'processing', ms } };
  return { result: SOLD, manner: PROMPT };
}
