import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from '../common/journal.js';
import { type Behaviour, orderNumberOf, type Verdict } from './behaviours.js';
import { atWallClock } from './clock.js';

const JOURNAL_FILE = 'purchases.jsonl';

/** The request for one unit. */
export interface TopUpRequest {
  readonly reference: string;
  readonly sku: string;
  readonly userId: string;
  readonly serverId: string | null;
  readonly characterId: string | null;
}

/** A recorded unit. Its result is fixed on arrival, but its time may be in the future. */
interface RecordedUnit extends TopUpRequest {
  /** Null for a unit that succeeds. */
  readonly failureCode: string | null;
  /** Null for a unit that fails. Answers must not contain it before the unit is settled. */
  readonly supplierReference: string | null;
  /** Milliseconds since 1970; the unit is processing until then. */
  readonly settlesAtMs: number;
  /** The arrival of its first request; missing in entries of an earlier version. */
  readonly recordedAtMs?: number;
}

/** A unit on record, with the requests for it. */
export interface Purchase extends RecordedUnit {
  /** The number of requests for this reference. */
  received: number;
  settled: boolean;
}

export type Outcome = 'succeeded' | 'failed' | 'processing';

/** The first request for a reference. */
interface RecordedEntry {
  readonly event: 'recorded';
  readonly unit: RecordedUnit;
}

/** A further request for a reference on record. */
interface ReceivedEntry {
  readonly event: 'received';
  readonly reference: string;
}

type JournalEntry = RecordedEntry | ReceivedEntry;

/**
 * Every unit on the supplier's record, by reference. A method returns only when its change is in the journal. A change that
 * the journal refuses is not made.
 */
export class PurchaseBook {
  private readonly purchases = new Map<string, Purchase>();
  private readonly arrivalsByOrder = new Map<string, number>();
  private readonly journal: Journal<JournalEntry>;
  private succeededUnits = 0;

  /**
   * Opens the book in `dataDir`, which is created if missing.
   * @throws Error when the directory or the journal in it cannot be used.
   */
  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.journal = Journal.open<JournalEntry>(join(dataDir, JOURNAL_FILE), (entry) => this.replay(entry));
    for (const purchase of this.purchases.values()) this.settleInTime(purchase);
  }

  /** The unit with this reference, or undefined when it was never recorded. */
  find(reference: string): Purchase | undefined {
    return this.purchases.get(reference);
  }

  /** Counts one more request for a unit on record. */
  receiveAgain(purchase: Purchase): void {
    this.journal.append({ event: 'received', reference: purchase.reference });
    purchase.received += 1;
  }

  /**
   * Records a unit with the fate of its behaviour. The reference must not be on record: the caller must not await between `find`
   * and this call, so that a reference is bought at most once.
   */
  record(request: TopUpRequest, behaviour: Extract<Behaviour, { kind: 'recorded' }>): Purchase {
    const failureCode = this.failureCodeOf(request, behaviour.verdict);
    const unit: RecordedUnit = {
      ...request,
      failureCode,
      supplierReference: failureCode === null ? `sim_${randomUUID()}` : null,
      settlesAtMs: Date.now() + behaviour.settleAfterMs,
      recordedAtMs: Date.now(),
    };
    this.journal.append({ event: 'recorded', unit });
    const purchase = this.add(unit);
    this.settleInTime(purchase);
    return purchase;
  }

  /** The present result of the unit, which never changes once it is settled. */
  outcomeOf(purchase: Purchase): Outcome {
    if (!purchase.settled && Date.now() >= purchase.settlesAtMs) this.settle(purchase);
    if (!purchase.settled) return 'processing';
    return purchase.failureCode === null ? 'succeeded' : 'failed';
  }

  /** Every unit on record, in the order of their first arrival. */
  all(): IterableIterator<Purchase> {
    return this.purchases.values();
  }

  /** The number of bought units. */
  countSucceeded(): number {
    return this.succeededUnits;
  }

  /** Flushes the journal; the book cannot be written to afterwards. */
  close(): void {
    this.journal.close();
  }

  private failureCodeOf(request: TopUpRequest, verdict: Verdict): string | null {
    switch (verdict.kind) {
      case 'succeed':
        return null;
      case 'fail':
        return verdict.failureCode;
      case 'first-of-order': {
        const arrivedBefore = this.arrivalsByOrder.get(orderNumberOf(request.reference)) ?? 0;
        return arrivedBefore < verdict.limit ? null : 'OUT_OF_STOCK';
      }
    }
  }

  private replay(entry: JournalEntry): void {
    const reference = entry.event === 'recorded' ? entry.unit.reference : entry.reference;
    const known = this.purchases.get(reference);
    if (entry.event === 'recorded' && known === undefined) this.add(entry.unit);
    else if (entry.event === 'received' && known !== undefined) known.received += 1;
    else throw new Error('not an entry that may stand here');
  }

  private add(unit: RecordedUnit): Purchase {
    const purchase: Purchase = { ...unit, received: 1, settled: false };
    const orderNumber = orderNumberOf(unit.reference);
    this.purchases.set(unit.reference, purchase);
    this.arrivalsByOrder.set(orderNumber, (this.arrivalsByOrder.get(orderNumber) ?? 0) + 1);
    return purchase;
  }

  /** A timer, because the count of bought units must be right even without a request for this unit. */
  private settleInTime(purchase: Purchase): void {
    atWallClock(purchase.settlesAtMs, () => this.settle(purchase));
  }

  private settle(purchase: Purchase): void {
    if (purchase.settled) return;
    purchase.settled = true;
    if (purchase.failureCode === null) this.succeededUnits += 1;
  }
}
