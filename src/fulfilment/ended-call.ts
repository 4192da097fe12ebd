import type { CallRecord } from '../orders/settlement.repository.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { ClaimedUnit } from './units.repository.js';

/** A call to a supplier that has ended and is not recorded yet. */
export interface EndedCall<Outcome extends SupplierOutcome = SupplierOutcome> extends CallRecord {
  kind: 'send' | 'inquiry';
  unit: ClaimedUnit;
  outcome: Outcome;
  /** The outcome for the order history, if `outcome` also follows from something else, such as an earlier answer. */
  recordedAs?: SupplierOutcome;
  /** The supplier's reference by which an inquiry named the purchase; null for any other call. */
  queriedAs: string | null;
  /** Set if the supplier was not called, because the offer is off or it was too late for a call. */
  wasNotCalled?: boolean;
  /** When the call began, in monotonic milliseconds. */
  startedAtMs: number;
  /** Whether the attempt may be sent again if the supplier never saw it. */
  mayResend: boolean;
  /** Whether the supplier sells nothing for a repeated reference. */
  deduplicates: boolean;
  /** Whether the supplier answers inquiries about this attempt. */
  canInquire: boolean;
  /** The delay from a send to the first inquiry. */
  firstMs: number;
  /** The minimum gap between two calls about an attempt. */
  minGapMs: number;
}

const INTERRUPTED = {
  kind: 'interrupted',
  detail: 'the process that sent it did not record an answer',
} as const;

/**
 * The entries of a call in the order history. If the outcome of an earlier claim's send was never recorded, the first
 * entry is that send.
 */
export function historyEntriesOf(call: EndedCall): CallRecord[] {
  const recorded = { ...call, outcome: call.recordedAs ?? call.outcome };
  const interrupted = { ...call, kind: 'send', outcome: INTERRUPTED, durationMs: 0 } as const;
  return call.unit.interrupted ? [interrupted, recorded] : [recorded];
}
