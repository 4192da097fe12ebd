import type { SupplierCall } from '../orders/supplier-calls.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { ClaimedUnit } from './units.repository.js';

/** A call to a supplier that has ended, and that PostgreSQL does not know of yet. */
export interface EndedCall<Outcome extends SupplierOutcome = SupplierOutcome> extends SupplierCall {
  kind: 'send' | 'inquiry';
  unit: ClaimedUnit;
  outcome: Outcome;
  /** Whether its supplier was not called at all, because its offer is off. */
  isWithheld?: boolean;
  /** When it began, in monotonic milliseconds. */
  startedAtMs: number;
  /** Whether what the supplier never saw may be sent again. */
  mayResend: boolean;
  /** Whether the supplier can be asked what became of a unit. */
  canBeAsked: boolean;
  /** How long after a send it is asked first, and for how long it is left alone between two calls about an attempt. */
  firstMs: number;
  minGapMs: number;
}

const INTERRUPTED = {
  kind: 'interrupted',
  detail: 'the process that sent it did not record an answer',
} as const;

/**
 * What a call adds to its order's timeline; first comes the send of an earlier claim, where its process died before it
 * recorded it.
 */
export const timelineOf = (call: EndedCall): SupplierCall[] =>
  call.unit.interrupted ? [{ ...call, kind: 'send', outcome: INTERRUPTED, durationMs: 0 }, call] : [call];
