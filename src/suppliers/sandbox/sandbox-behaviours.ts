import { failure, isUnitFailureCode, type Failure } from '../../core/failures.js';

/** What became of a piece: it was sold, or refused for good. */
export type Verdict = { kind: 'sold' } | ({ kind: 'refused' } & Failure);

/**
 * How the supplier answers the one who buys a piece.
 * - `told`: by saying what became of it.
 * - `late`: the same, after so many milliseconds.
 * - `working`: that it is at work on it, until so many milliseconds have passed.
 * - `silent`: not so that it could be understood, as `detail` says; whoever asks later is told.
 * - `lost`: likewise, and it never saw the purchase.
 */
export type Manner =
  { kind: 'told' } | { kind: 'late' | 'working'; ms: number } | { kind: 'silent' | 'lost'; detail: string };

export interface Behaviour {
  verdict: Verdict;
  manner: Manner;
}

/** As much as a supplier may take to work on a purchase that is to end at all: a day. */
const MAX_MS = 86_400_000;

const SOLD: Verdict = { kind: 'sold' };
const OUT_OF_STOCK: Verdict = { kind: 'refused', ...failure('OUT_OF_STOCK') };
const TOLD: Manner = { kind: 'told' };

const silent = (detail: string): Manner => ({ kind: 'silent', detail });
const DROPPED = 'the connection was closed without an answer';

const BY_NAME: ReadonlyMap<string, Behaviour> = new Map([
  ['sim-drop-succeed', { verdict: SOLD, manner: silent(DROPPED) }],
  ['sim-drop-fail', { verdict: OUT_OF_STOCK, manner: silent(DROPPED) }],
  ['sim-500-succeed', { verdict: SOLD, manner: silent('HTTP 500') }],
  ['sim-500-fail', { verdict: OUT_OF_STOCK, manner: silent('HTTP 500') }],
  ['sim-garbage-succeed', { verdict: SOLD, manner: silent('the answer is not a JSON object') }],
  ['sim-lost', { verdict: SOLD, manner: { kind: 'lost', detail: DROPPED } }],
]);

/**
 * What a `user_id` asks for (docs/sandbox.md). Names are case-sensitive, failure codes are not; any other player gets
 * what is ordered at once.
 * @param sku of the product.
 * @param piece which piece of its order it is, counted from 1 over all items.
 */
export function behaviourOf(userId: string, sku: string, piece: number): Behaviour {
  if (/^sim-unknown/i.test(sku)) return { verdict: { kind: 'refused', ...failure('ITEM_NOT_FOUND') }, manner: TOLD };
  const named = BY_NAME.get(userId);
  if (named) return named;
  const code = /^sim-fail-(.+)$/s.exec(userId)?.[1]?.toUpperCase();
  if (code !== undefined) {
    const known = isUnitFailureCode(code) ? code : 'SUPPLIER_REJECTED';
    return { verdict: { kind: 'refused', ...failure(known) }, manner: TOLD };
  }
  const [, name, digits] = /^sim-(partial|slow|processing)-(\d+)$/.exec(userId) ?? [];
  const count = Number(digits);
  if (name === 'partial') return { verdict: piece <= count ? SOLD : OUT_OF_STOCK, manner: TOLD };
  const ms = Math.min(count, MAX_MS);
  if (name === 'slow') return { verdict: SOLD, manner: { kind: 'late', ms } };
  if (name === 'processing') return { verdict: SOLD, manner: { kind: 'working', ms } };
  return { verdict: SOLD, manner: TOLD };
}
