export const ORDER_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const UNIT_STATES = ['queued', 'sending', 'unknown', 'succeeded', 'failed', 'review'] as const;
export type UnitState = (typeof UNIT_STATES)[number];

/** The transitions of orders. */
export const ORDER_TRANSITIONS: Record<OrderStatus, readonly OrderStatus[]> = {
  pending: ['processing', 'completed', 'failed'],
  processing: ['completed', 'failed'],
  completed: [],
  failed: [],
};

/**
 * The transitions of units. Statements make these and no others (`unit-states.e2e-spec.ts`).
 *
 * - `sending -> queued`: the supplier certainly did not accept the send, or a worker undoes a lost claim.
 * - `unknown -> sending`: the supplier never saw the reference, so a worker repeats the send under the same reference. Or a worker
 *   makes an inquiry that may buy.
 * - `queued -> failed`: an operator cancels a unit that no supplier has accepted, or it waited too long for a paused
 *   supplier.
 * - `queued -> succeeded`, `queued -> unknown`: a proven callback contradicts an earlier `not_accepted`.
 * - `queued -> review`: an earlier attempt bought the unit after all.
 * - `sending -> queued`, `unknown -> queued`, `review -> queued`: another attempt begins after a definite refusal. From
 *   `sending`, one may also begin after a send that was certainly not accepted.
 * - `unknown -> queued` also: a worker undoes a lost claim that sent nothing.
 * - `review -> succeeded`, `review -> failed`: the operator decides, or the supplier answers late.
 */
export const UNIT_TRANSITIONS: Record<UnitState, readonly UnitState[]> = {
  queued: ['sending', 'succeeded', 'failed', 'unknown', 'review'],
  sending: ['succeeded', 'failed', 'unknown', 'queued', 'review'],
  unknown: ['succeeded', 'failed', 'review', 'sending', 'queued'],
  review: ['succeeded', 'failed', 'queued'],
  succeeded: [],
  failed: [],
};

/** The states with a transition to each state of `to`, for the WHERE of a compare-and-set. */
export function sourcesOf<State extends string>(transitions: Record<State, readonly State[]>, ...to: State[]): State[] {
  return (Object.keys(transitions) as State[]).filter((from) => to.every((state) => transitions[from].includes(state)));
}

export const isTerminalOrder = (status: OrderStatus): boolean => ORDER_TRANSITIONS[status].length === 0;

export const isTerminalUnit = (state: UnitState): boolean => UNIT_TRANSITIONS[state].length === 0;
