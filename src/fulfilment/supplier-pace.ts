import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { ClaimedUnit } from './units.repository.js';

interface Pace {
  /** Whether the supplier gets a single call at a time, except for a moment after each good answer. */
  isCareful: boolean;
  /** Until when the supplier's last good answer counts, in monotonic milliseconds. */
  healthyUntilMs: number;
  /** The supplier's own limit of calls in flight over all workers, which an operator set; null for the usual limit. */
  allowed: number | null;
  /** The number of calls in flight that the supplier seems to accept, after it reported too many. */
  limit: number;
}

/** How long a good answer proves that a supplier accepts our credentials and has enough of our money. */
const HEALTHY_FOR_MS = 1_000;

/**
 * Limits the calls in flight at each supplier. Some suppliers count calls with wrong credentials and then ban us, so they get a
 * single call at a time until a call has a good answer. If a supplier reports too many calls, this class halves the limit, and
 * raises it by one for each later purchase that succeeds.
 */
export class SupplierPace {
  private readonly paces = new Map<number, Pace>();

  /** The slots of this worker at a supplier. @param usual the slots at a supplier without a limit of its own. */
  slots(supplierId: number, usual: number): number {
    const pace = this.paces.get(supplierId);
    if (!pace) return 1;
    if (pace.isCareful && performance.now() > pace.healthyUntilMs) return 1;
    return Math.min(pace.allowed ?? usual, pace.limit);
  }

  /** The suppliers whose units were claimed. */
  suppliers(): Iterable<number> {
    return this.paces.keys();
  }

  /** Copies the supplier's settings from a claimed unit. */
  update({ supplier_id, has_random_references: isCareful, max_in_flight }: ClaimedUnit): void {
    const pace = this.paces.get(supplier_id) ?? { healthyUntilMs: 0, limit: Infinity };
    this.paces.set(supplier_id, { ...pace, isCareful, allowed: max_in_flight });
  }

  /** Records how a call ended. @param usual as for {@link slots}. */
  note(supplierId: number, outcome: SupplierOutcome, usual: number): void {
    const pace = this.paces.get(supplierId);
    if (!pace) return;
    const maximum = pace.allowed ?? usual;
    if (isTooMany(outcome)) pace.limit = Math.max(1, Math.floor(Math.min(pace.limit, maximum) / 2));
    else if (outcome.kind === 'succeeded' && pace.limit < maximum) pace.limit++;
    if (isHealthy(outcome)) pace.healthyUntilMs = performance.now() + HEALTHY_FOR_MS;
    else if (hasFault(outcome)) pace.healthyUntilMs = 0;
  }
}

const isTooMany = (outcome: SupplierOutcome): boolean =>
  ('fault' in outcome && outcome.fault === 'rate') || (outcome.kind === 'failed' && outcome.retryAfterMs !== undefined);

const isHealthy = ({ kind }: SupplierOutcome): boolean => kind === 'succeeded' || kind === 'processing';

const hasFault = (outcome: SupplierOutcome): boolean => 'fault' in outcome && outcome.fault !== undefined;
