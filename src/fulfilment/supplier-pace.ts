import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { ClaimedUnit } from './units.repository.js';

interface Pace {
  /** Whether many calls at once are to be made only to a supplier that was found well a moment ago. */
  isCareful: boolean;
  /** Until when it counts as well, in monotonic milliseconds. */
  wellUntilMs: number;
  /** How many calls at once the operator allows it, over all workers: claims see to that. Null for as many as usual. */
  allowed: number | null;
  /** How many calls at once it takes, after it said that we ask for too much. */
  limit: number;
}

/** For so long one good answer says that a supplier accepts our credentials and has enough of our money. */
const WELL_FOR_MS = 1_000;

/**
 * How many calls at once a supplier gets. Vendors count refusals of our credentials, and ban who goes on: they get one
 * call until it was answered well. A supplier that says that we ask for too much gets half as many, and one more for
 * each purchase that it accepts then.
 */
export class SupplierPace {
  private readonly paces = new Map<number, Pace>();

  /**
   * How many calls of this worker a supplier may have in flight now.
   * @param usual how many of one that has no limit of its own.
   */
  slots(supplierId: number, usual: number): number {
    const pace = this.paces.get(supplierId);
    if (!pace) return 1;
    if (pace.isCareful && performance.now() > pace.wellUntilMs) return 1;
    return Math.min(pace.allowed ?? usual, pace.limit);
  }

  /** The suppliers of which units were claimed. */
  met(): Iterable<number> {
    return this.paces.keys();
  }

  /** A unit was claimed: the supplier is as it says. */
  meet({ supplier_id, named_at_random: isCareful, max_in_flight }: ClaimedUnit): void {
    const pace = this.paces.get(supplier_id) ?? { wellUntilMs: 0, limit: Infinity };
    this.paces.set(supplier_id, { ...pace, isCareful, allowed: max_in_flight });
  }

  /** Takes note of how a call ended. @param usual as for {@link slots}. */
  note(supplierId: number, outcome: SupplierOutcome, usual: number): void {
    const pace = this.paces.get(supplierId);
    if (!pace) return;
    const most = pace.allowed ?? usual;
    if (asksForLess(outcome)) pace.limit = Math.max(1, Math.floor(Math.min(pace.limit, most) / 2));
    else if (outcome.kind === 'succeeded' && pace.limit < most) pace.limit++;
    if (isWell(outcome)) pace.wellUntilMs = performance.now() + WELL_FOR_MS;
    else if (hasFault(outcome)) pace.wellUntilMs = 0;
  }
}

const asksForLess = (outcome: SupplierOutcome): boolean =>
  ('fault' in outcome && outcome.fault === 'rate') || (outcome.kind === 'failed' && outcome.retryAfterMs !== undefined);

const isWell = ({ kind }: SupplierOutcome): boolean => kind === 'succeeded' || kind === 'processing';

const hasFault = (outcome: SupplierOutcome): boolean => 'fault' in outcome && outcome.fault !== undefined;
