/** Ten years. A longer delay is cut to this, so that a deadline is always an exact integer. */
const MAX_DELAY_MS = 10 * 365 * 24 * 60 * 60 * 1000;

const UNKNOWN_PRODUCT_PREFIX = 'SIM-UNKNOWN';
const CARD_PREFIX = 'SIM-CODE';

/** The fate of a unit. */
export type Verdict =
  | { readonly kind: 'succeed' }
  | { readonly kind: 'fail'; readonly failureCode: string }
  /** Succeeds when fewer than `limit` units of the same order arrived before it, else fails `OUT_OF_STOCK`. */
  | { readonly kind: 'first-of-order'; readonly limit: number };

/**
 * The answer to the first request for a unit, once the unit is on record: `result` with the recorded result,
 * `processing` with that status, `wait` with the result when it is settled,
 * `close` with a closed connection, `error` with a 500, `garbage` with a body that is not JSON.
 */
export type Delivery = 'result' | 'processing' | 'wait' | 'close' | 'error' | 'garbage';

/** The effect of a `user_id` on a request: it never arrives, or it is recorded. */
export type Behaviour =
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'recorded';
      readonly verdict: Verdict;
      /** The delay from its arrival until the unit is bought; until then it is processing. */
      readonly settleAfterMs: number;
      readonly delivery: Delivery;
    };

const SUCCEED: Verdict = { kind: 'succeed' };
const OUT_OF_STOCK: Verdict = { kind: 'fail', failureCode: 'OUT_OF_STOCK' };

const recorded = (verdict: Verdict, delivery: Delivery, settleAfterMs = 0): Behaviour => ({
  kind: 'recorded',
  verdict,
  settleAfterMs,
  delivery,
});

const FIXED_BEHAVIOURS: ReadonlyMap<string, Behaviour> = new Map([
  ['sim-drop-succeed', recorded(SUCCEED, 'close')],
  ['sim-drop-fail', recorded(OUT_OF_STOCK, 'close')],
  ['sim-500-succeed', recorded(SUCCEED, 'error')],
  ['sim-500-fail', recorded(OUT_OF_STOCK, 'error')],
  ['sim-garbage-succeed', recorded(SUCCEED, 'garbage')],
  ['sim-lost', { kind: 'lost' }],
]);

const ORDINARY_BEHAVIOUR = recorded(SUCCEED, 'result');

/**
 * The behaviour that a `user_id` names (supplier protocol, "The simulator"). The names are case-sensitive, the failure
 * code is not. Every other user id is an ordinary player and succeeds at once.
 */
export function behaviourOf(userId: string): Behaviour {
  const fixed = FIXED_BEHAVIOURS.get(userId);
  if (fixed !== undefined) return fixed;

  const failureCode = /^sim-fail-(.+)$/s.exec(userId)?.[1];
  if (failureCode !== undefined) {
    return recorded({ kind: 'fail', failureCode: failureCode.toUpperCase() }, 'result');
  }

  const [, name, digits] = /^sim-(partial|slow|processing)-(\d+)$/.exec(userId) ?? [];
  const number = Number(digits);
  if (name === 'partial') return recorded({ kind: 'first-of-order', limit: number }, 'result');
  if (name === 'slow') return recorded(SUCCEED, 'wait', Math.min(number, MAX_DELAY_MS));
  if (name === 'processing') return recorded(SUCCEED, 'processing', Math.min(number, MAX_DELAY_MS));
  return ORDINARY_BEHAVIOUR;
}

/** Whether the supplier does not sell `sku`: one that starts with `SIM-UNKNOWN`, in upper or lower case. */
export function isUnknownProduct(sku: string): boolean {
  return sku.toUpperCase().startsWith(UNKNOWN_PRODUCT_PREFIX);
}

/** Whether `sku` is a card: one that starts with `SIM-CODE`, in upper or lower case. */
export function isCard(sku: string): boolean {
  return sku.toUpperCase().startsWith(CARD_PREFIX);
}

/** The order number of a unit's reference `<order_number>.<item>.<unit>`: the part before the first dot. */
export function orderNumberOf(reference: string): string {
  return reference.split('.', 1)[0] ?? reference;
}
