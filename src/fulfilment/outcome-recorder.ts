import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { DAY_MS } from '../core/durations.js';
import { failpoint } from '../core/failpoints.js';
import { failure, type UnitFailureCode } from '../core/failures.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { retryWrite } from '../database/retry-write.js';
import { SettlementRepository } from '../orders/settlement.repository.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { WorkerHeartbeatService } from '../queues/worker-heartbeat.service.js';
import {
  costColumns,
  isAboutAnother,
  isDefinite,
  outcomeDetail,
  type Fault,
  type UndecidedOutcome,
} from '../suppliers/supplier-outcome.js';
import { SupplierPausesService } from '../suppliers/supplier-pauses.service.js';
import { safeQuietPeriodMs } from '../suppliers/supplier-timing.js';
import { awaitingCode, lacksCode } from '../orders/codes/delivered.js';
import { AttemptAnswersService } from './attempt-answers.service.js';
import { SettlementRetryService, isPassing, type DefiniteCall } from './settlement-retry.service.js';
import { AttemptsRepository, type NotedRow } from './attempts.repository.js';
import { nextCallDelayMs } from './backoff.js';
import { FailoverService } from './failover.service.js';
import { UnitObserver } from './unit.observer.js';
import { historyEntriesOf, type EndedCall } from './ended-call.js';
import { UnitsRepository, type ClaimedUnit, type PostponedUnit, type ReviewedUnit } from './units.repository.js';

/** A call that decided nothing. `unconfirmed` is the failure code of a refusal that does not count yet. */
type Undecided = EndedCall<UndecidedOutcome> & { unconfirmed?: UnitFailureCode | null };

/** Faults that probably last until an operator or the supplier acts. */
const LASTING = new Set<Fault>(['credentials', 'deposit', 'configuration', 'ban']);

/** The longest wait for a callback. In milliseconds, 25 days exceed PostgreSQL's `int`. */
const MAX_WAIT_MS = 24 * DAY_MS;

/** A unit waits for its offer at most this many times ROUTING_HOLD_LIMIT_MS, even if the offer is switched on and off again. */
const MAX_HOLDS = 4;

/** The failure of a unit that has waited too long for a correction of its offer. Nothing was bought. */
const GIVEN_UP = { kind: 'failed', ...failure('SUPPLIER_UNAVAILABLE') } as const;

const REVIEW_REASONS = {
  moved: 'the supplier’s address, or our account there, has changed since the unit was sent',
  too_old: 'it was sent too long ago: the supplier could take an inquiry about it for a new purchase',
  paused: 'its supplier is paused, and it has been in doubt for too long',
  sold: 'a supplier has reported that an earlier attempt bought it',
};

/** Records the outcomes of calls: settles or postpones their units, or begins their next attempts. */
@Injectable()
export class OutcomeRecorder {
  private readonly postponements = new GroupCommit<Undecided, PostponedUnit | null>({
    commit: async (calls) => {
      const postponed = await this.database.transaction((tx) => this.postponeBatch(tx, calls));
      failpoint('unit.postponed');
      return calls.map(({ unit }) => succeeded(postponed.find((each) => isUnit(unit, each)) ?? null));
    },
    onBatch: (waitedMs) => this.metrics.batches.postponement(waitedMs),
  });

  constructor(
    private readonly database: Database,
    private readonly units: UnitsRepository,
    private readonly attempts: AttemptsRepository,
    private readonly failover: FailoverService,
    private readonly pauses: SupplierPausesService,
    private readonly settlements: SettlementRetryService,
    private readonly settlementRepository: SettlementRepository,
    private readonly answers: AttemptAnswersService,
    private readonly notifier: WorkNotifier,
    private readonly heartbeat: WorkerHeartbeatService,
    private readonly observer: UnitObserver,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Records how a call ended, and retries while PostgreSQL is away or busy.
   * @param leaseEndMs the end of the claim's lease, in monotonic milliseconds.
   * @returns true if the unit is due again at once, or {@link isBoughtElsewhere} is true.
   */
  async record(ended: EndedCall, leaseEndMs: number): Promise<boolean> {
    const call = this.isRefusedUnseen(ended) ? asRefused(ended) : ended;
    if (isDefiniteCall(call) && lacksCode(call.unit.kind, call.outcome)) return this.awaitCode(call, leaseEndMs);
    if (isDefiniteCall(call) && !needsConfirmation(call) && !this.isTooEarly(call)) {
      await this.settlements.settle(call, leaseEndMs);
      return false;
    }
    const undecided = isDefiniteCall(call) ? toUnconfirmed(call) : (call as Undecided);
    // Without a call the supplier refused nothing, and the offer may be on again by now.
    if (!call.wasNotCalled) await this.pauseFor(undecided, leaseEndMs);
    return (await this.isBoughtElsewhere(undecided, leaseEndMs)) || this.postpone(undecided, leaseEndMs);
  }

  /** Writes to the order history why units went to review instead of getting their next calls. */
  async recordReviews(units: ReviewedUnit[]): Promise<void> {
    const process = this.heartbeat.name;
    const calls = units.map((unit) => {
      const detail = REVIEW_REASONS[unit.review_reason ?? 'moved'];
      this.observer.needsReview(unit, detail);
      return {
        unit,
        kind: 'send' as const,
        outcome: { kind: 'withheld' as const, detail },
        durationMs: 0,
        process,
      };
    });
    await this.database
      .transaction((tx) => Promise.resolve(this.settlementRepository.recordCalls(tx, calls)))
      // After an error the order history lacks an entry, but the unit is in review all the same.
      .catch(() => undefined);
  }

  /**
   * Whether a refusal decides nothing yet: it is about one send, and the supplier may sell each send. An earlier send may have
   * been bought although it seemed not to be accepted, and the last one may still arrive.
   */
  private isTooEarly({ unit, outcome, deduplicates }: DefiniteCall): boolean {
    return outcome.kind === 'failed' && !deduplicates && !unit.is_sent_once && !this.isQuiet(unit);
  }

  /**
   * Whether an unconfirmed refusal counts now, because the inquiry proves that the supplier sold nothing. A repeated send would
   * only be refused again. An inquiry at another address or account proves nothing, nor does one that finds nothing although we
   * know the supplier's reference of the purchase.
   */
  private isRefusedUnseen({ unit, outcome, deduplicates, mayResend }: EndedCall): boolean {
    if (outcome.kind !== 'never_seen' || deduplicates || !mayResend || unit.unconfirmed === null) return false;
    return !unit.has_moved && unit.supplier_reference === null && this.isQuiet(unit);
  }

  /** Whether the last send can no longer arrive at the supplier. */
  private isQuiet(unit: ClaimedUnit): boolean {
    return unit.sent_ago_ms !== null && unit.sent_ago_ms >= this.quietMs(unit);
  }

  /** Takes the offer off, or pauses the supplier, after a lasting fault, because the fault would also concern other units. */
  private async pauseFor({ unit, outcome }: Undecided, leaseEndMs: number): Promise<void> {
    const fault = 'fault' in outcome ? outcome.fault : undefined;
    if (fault === 'configuration') {
      const detail = outcomeDetail(outcome) ?? fault;
      const takeOff = (): Promise<boolean> => this.attempts.takeOfferOff(unit, detail);
      if (await retryWrite(takeOff, leaseEndMs, isPassing)) this.observer.offerTakenOff(unit, detail);
      return;
    }
    if (fault !== 'credentials' && fault !== 'deposit' && fault !== 'ban') return;
    const { supplier_id: id, adapter, supplier_updated_at: updated_at, supplier_resumed_at: last_resumed_at } = unit;
    const { retryAfterMs } = outcome as { retryAfterMs?: number };
    const supplier = { id, adapter, updated_at, last_resumed_at };
    const pause = { ...supplier, reason: fault, detail: outcomeDetail(outcome), retryAfterMs };
    await retryWrite(() => this.pauses.begin(pause), leaseEndMs, isPassing);
  }

  /**
   * Begins another attempt for a unit that its supplier certainly did not accept and will not accept soon. If no
   * further offer is left and the unit has waited too long for a correction of its offer, the unit fails. But a unit
   * that was sent only once is postponed: a callback may have proved the purchase while the claim of that send still
   * holds, and only {@link postpone} checks this.
   * @returns true if another attempt began or the unit failed: then the ended attempt needs no further call.
   */
  private async isBoughtElsewhere(call: Undecided, leaseEndMs: number): Promise<boolean> {
    const { unit, outcome } = call;
    if (outcome.kind !== 'not_accepted' || unit.is_repeat) return false;
    const isLasting = outcome.fault !== undefined && LASTING.has(outcome.fault);
    // After the wait that the supplier requests, it may be too late for another supplier.
    const busyMs = unit.age_ms + (outcome.retryAfterMs ?? 0);
    if (!isLasting && busyMs < this.config.SUPPLIER_BUSY_LIMIT_MS) return false;
    const key = { orderId: unit.order_id, item: unit.item, unit: unit.unit };
    const ended = { key, attempt: unit.attempt, claim: unit.claim, refusal: null, calls: historyEntriesOf(call) };
    const next = await retryWrite(() => this.failover.begin(ended), leaseEndMs, isPassing);
    if (next) this.observer.attemptBegun(unit, next);
    else if (outcome.fault !== 'configuration' || unit.sends === 1) return false;
    else if (unit.age_ms < this.config.ROUTING_HOLD_LIMIT_MS || (await this.mayBeCorrected(call, leaseEndMs)))
      return false;
    else await this.settlements.settle({ ...call, recordedAs: outcome, outcome: GIVEN_UP }, leaseEndMs);
    return true;
  }

  /**
   * Whether the unit must still wait for a correction of its offer. If the supplier has just refused an offer that is on, an
   * operator has corrected the offer, but this attempt keeps the old terms: then waiting is useless. {@link MAX_HOLDS} ends the
   * wait for an offer that is switched on and off again.
   */
  private async mayBeCorrected({ unit, wasNotCalled = false }: Undecided, leaseEndMs: number): Promise<boolean> {
    if (unit.age_ms >= MAX_HOLDS * this.config.ROUTING_HOLD_LIMIT_MS) return false;
    const offMs = await retryWrite(() => this.attempts.findOfferOffMs(unit), leaseEndMs, isPassing);
    return offMs === null ? wasNotCalled : offMs < this.config.ROUTING_HOLD_LIMIT_MS;
  }

  private async postpone(call: Undecided, leaseEndMs: number): Promise<boolean> {
    await this.reportSurplus(call, leaseEndMs);
    const postponed = await this.submit(call, leaseEndMs);
    if (postponed === null) return false;
    const { review_reason } = postponed;
    if (review_reason === null) return this.isDueAtOnce(call.unit, postponed);
    await this.recordReviews([{ ...call.unit, review_reason }]);
    return false;
  }

  /**
   * Postpones a purchase until its code arrives. If the unit was settled meanwhile, checks whether the purchase contradicts
   * that.
   */
  private async awaitCode(call: DefiniteCall, leaseEndMs: number): Promise<boolean> {
    const postponed = await this.submit({ ...call, outcome: awaitingCode(call.outcome) }, leaseEndMs);
    if (postponed) return this.isDueAtOnce(call.unit, postponed);
    await retryWrite(() => this.settlements.judge(call), leaseEndMs, isPassing);
    return false;
  }

  /** @returns null if the claim no longer holds: then the call is recorded, and the unit was not changed. */
  private submit(call: Undecided, leaseEndMs: number): Promise<PostponedUnit | null> {
    // After the lease no retry is needed, because the next claim inquires about the unit.
    return retryWrite(() => this.postponements.submit(call), leaseEndMs, isPassing);
  }

  private isDueAtOnce(unit: ClaimedUnit, { supplier_id, due_in_ms }: PostponedUnit): boolean {
    if (due_in_ms === null) this.observer.needsReview(unit);
    else if (due_in_ms > 0) this.notifier.notifyFulfilment([supplier_id], due_in_ms);
    return due_in_ms === 0;
  }

  /**
   * Reports a second purchase before the unit is postponed, in a transaction of its own: this locks the order, which unrelated
   * postponements must not wait for. If the process dies in between, the next claim only repeats the inquiry.
   */
  private async reportSurplus(call: Undecided, leaseEndMs: number): Promise<void> {
    const { unit, outcome } = call;
    if (!isAboutAnother(outcome)) return;
    const report = (): Promise<boolean> => this.answers.reportSurplus(unit, outcome);
    if (await retryWrite(report, leaseEndMs, isPassing)) this.observer.soldBesides(call);
  }

  private postponeBatch(tx: Transaction, calls: Undecided[]): Promise<PostponedUnit[]> {
    const { SUPPLIER_REVIEW_AFTER_MS: reviewAfterMs } = this.config;
    const nowMs = performance.now();
    const rows = calls.map((call) => ({
      ...call.unit,
      outcome: call.outcome.kind,
      delay_ms: waitsForCallback(call) ? Math.min(reviewAfterMs, MAX_WAIT_MS) : nextCallDelayMs(call),
      may_resend: call.mayResend,
      deduplicates: call.deduplicates,
      can_inquire: call.canInquire,
      quiet_ms: BigInt(this.quietMs(call.unit)),
      began_ago_ms: BigInt(Math.ceil(nowMs - call.startedAtMs)),
      // A call in flight ends within one quiet period, and its send reaches the supplier within another.
      clock_limit: this.heartbeat.clockLimit(2 * this.quietMs(call.unit)),
    }));
    const postponed = this.units.postpone(tx, rows, BigInt(reviewAfterMs));
    this.attempts.note(tx, calls.flatMap(noteOf));
    this.settlementRepository.recordCalls(tx, calls.flatMap(historyEntriesOf));
    return postponed;
  }

  private quietMs({ timeout_ms: timeoutMs }: ClaimedUnit): number {
    return safeQuietPeriodMs(this.config.SUPPLIER_QUIET_PERIOD_MS, timeoutMs);
  }
}

/** Whether only a callback can report the result. Then the next inquiry is due when the unit would go to review. */
const waitsForCallback = ({ outcome }: Undecided): boolean =>
  outcome.kind === 'unknown' && outcome.waitsForCallback === true;

/**
 * The cost, reference and unconfirmed refusal that an answer reports about its attempt, and whether the stored
 * reference belongs to another purchase. Empty if the answer reports none of these.
 */
function noteOf({ unit, outcome, queriedAs, unconfirmed = null }: Undecided): NotedRow[] {
  const reported = ('supplierReference' in outcome && outcome.supplierReference) || null;
  // An answer to an inquiry by the supplier's reference confirms that reference, even if the answer contains a different one.
  const supplier_reference = (reported !== null && queriedAs) || reported;
  const is_misnamed = outcome.kind === 'unknown' && outcome.isMisnamed === true;
  const cost = costColumns(outcome);
  const isEmpty = supplier_reference === null && cost.cost_micros === null && unconfirmed === null;
  if (isEmpty && !is_misnamed) return [];
  const { order_id, item, unit: number, attempt } = unit;
  const name = { supplier_reference, is_hearsay: false, is_misnamed };
  return [{ order_id, item, unit: number, attempt, ...name, ...cost, unconfirmed }];
}

/** Whether the supplier may still withdraw its refusal. It counts when the supplier repeats it, or an inquiry finds no sale. */
const needsConfirmation = ({ unit, outcome }: DefiniteCall): boolean =>
  outcome.kind === 'failed' && outcome.confirm === true && unit.unconfirmed === null;

function toUnconfirmed(call: DefiniteCall): Undecided {
  const unconfirmed = call.outcome.kind === 'failed' ? call.outcome.code : null;
  const detail = `to be confirmed: ${outcomeDetail(call.outcome)}`;
  return { ...call, outcome: { kind: 'unknown', detail }, unconfirmed };
}

/** The refusal that a supplier reported earlier becomes the outcome of this inquiry. */
const asRefused = (call: EndedCall): DefiniteCall => {
  const code = call.unit.unconfirmed as UnitFailureCode;
  return { ...call, recordedAs: call.outcome, outcome: { kind: 'failed', ...failure(code), failover: true } };
};

const isDefiniteCall = (call: EndedCall): call is DefiniteCall => isDefinite(call.outcome);

type UnitColumns = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit'>;

const isUnit = (one: UnitColumns, other: UnitColumns): boolean =>
  one.order_id === other.order_id && one.item === other.item && one.unit === other.unit;
