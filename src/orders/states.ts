export const ORDER_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const UNIT_STATES = ['queued', 'sending', 'unknown', 'succeeded', 'failed', 'review'] as const;
export type UnitState = (typeof UNIT_STATES)[number];

/** From each status, those it may change to. */
export const ORDER_TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['processing', 'completed', 'failed'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
};

/**
 * From each state, those it may change to. The statements that change units do so in these ways and in no other, and the
 * database allows these states (`unit-states.e2e-spec.ts`).
 *
 * A unit is settled from `review` too: by the operator, or by the supplier's own late answer.
 * `sending -> queued` is a send that the supplier certainly did not accept; `unknown -> sending` is a send repeated
 * under the same reference, after the supplier said that it never saw the first. `queued -> failed` is the operator's
 * cancellation of what was never sent, or never accepted. `queued -> succeeded` and `queued -> unknown` are a supplier that
 * called us, with proof, about what it had said that it did not accept; `queued -> review` is an attempt that is not begun
 * yet when the one before turns out to be sold. `unknown -> queued` and `review -> queued` are another attempt, under another
 * reference, after a refusal for good; `unknown -> queued` is also a unit whose worker finds that its claim had come true
 * without its knowledge, so that it was never sent.
 */
export const UNIT_TRANSITIONS: Record<UnitState, readonly UnitState[]> = {
  queued: ['sending', 'succeeded', 'failed', 'unknown', 'review'],
  sending: ['succeeded', 'failed', 'unknown', 'queued', 'review'],
  unknown: ['succeeded', 'failed', 'review', 'sending', 'queued'],
  review: ['succeeded', 'failed', 'queued'],
  succeeded: [],
  failed: [],
};

/** The states from which `to` may be reached, for the WHERE of a compare-and-set. */
export function sourcesOf<State extends string>(transitions: Record<State, readonly State[]>, ...to: State[]): State[] {
  return (Object.keys(transitions) as State[]).filter((from) => to.every((state) => transitions[from].includes(state)));
}

export const isTerminalOrder = (status: OrderStatus): boolean => ORDER_TRANSITIONS[status].length === 0;

export const isTerminalUnit = (state: UnitState): boolean => UNIT_TRANSITIONS[state].length === 0;
