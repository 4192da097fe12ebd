import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { failpoint } from '../core/failpoints.js';
import { Metrics } from '../core/metrics.js';
import { isConnectionLost, isOverloaded } from '../core/postgres-errors.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { writtenAtLast } from '../database/while-away.js';
import { OrderSettlement } from '../orders/order-settlement.js';
import { SettlementRepository } from '../orders/settlement.repository.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { isDefinite, type DefiniteOutcome, type UndecidedOutcome } from '../suppliers/supplier-outcome.js';
import { LEASE_MARGIN_MS, safeQuietPeriodMs } from '../suppliers/supplier-timing.js';
import { nextCallDelayMs } from './backoff.js';
import { UnitObserver } from './unit-observer.js';
import { timelineOf, type EndedCall } from './ended-call.js';
import { UnitsRepository, type ClaimedUnit, type PostponedUnit } from './units.repository.js';

type Decided = EndedCall<DefiniteOutcome>;
type Undecided = EndedCall<UndecidedOutcome>;

const RETRY_MS = 500;
/** How long a claim is kept at a time while its answer can't be recorded, and how long before its end it is renewed. */
const RENEWED_FOR_MS = 10_000;
const RENEW_BEFORE_MS = LEASE_MARGIN_MS / 2;
/** Beyond so many, calls keep their slots until their answers are recorded: then suppliers are called less. */
const MAX_KEPT = 5_000;

/** Writes down what came of calls to suppliers: settles the units that were decided, and postpones the others. */
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

  /** Definite answers that could not be recorded yet. */
  private readonly kept = new Set<Promise<void>>();
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly units: UnitsRepository,
    private readonly settlement: OrderSettlement,
    private readonly settlements: SettlementRepository,
    private readonly notifier: WorkNotifier,
    private readonly heartbeat: WorkerHeartbeat,
    private readonly observer: UnitObserver,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Records how a call ended; while PostgreSQL is away or busy it tries again. A definite answer that takes longer is
   * kept, and with it the claim, while the caller goes on.
   * @param leaseEndMs when the claim's lease ends, in monotonic milliseconds.
   * @returns whether the unit is due again at once.
   */
  async record(call: EndedCall, leaseEndMs: number): Promise<boolean> {
    if (!isDecided(call)) return this.postpone(call as Undecided, leaseEndMs);
    await this.settleOrKeep(call, { endMs: leaseEndMs });
    return false;
  }

  /** Units in doubt whose supplier has another address now: the operator has to find out what became of them. */
  async recordWithheld(units: ClaimedUnit[]): Promise<void> {
    const detail = 'its supplier has another address than when it was sent';
    for (const unit of units) this.observer.needsReview(unit, detail);
    const outcome = { kind: 'withheld' as const, detail };
    const process = this.heartbeat.name;
    const calls = units.map((unit) => ({ unit, kind: 'send' as const, outcome, durationMs: 0, process }));
    await this.database
      .transaction((tx) => Promise.resolve(this.settlements.recordCalls(tx, calls)))
      // The timeline lacks a line then; the unit is in review all the same.
      .catch(() => undefined);
  }

  /** Waits for the answers that are kept, for as long as their claims last. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.kept);
  }

  private async settleOrKeep(call: Decided, lease: { endMs: number }): Promise<void> {
    const settling = this.settleAtLast(call, lease);
    if (await isDoneBefore(settling, lease.endMs - RENEW_BEFORE_MS)) return;
    this.observer.kept(call.unit);
    const keeping = this.renewUntil(settling, call.unit, lease)
      .catch((error: unknown) => this.observer.notSettled(call.unit, error))
      .finally(() => this.kept.delete(keeping));
    this.kept.add(keeping);
    if (this.kept.size > MAX_KEPT) await keeping;
  }

  /** Tries until the answer is recorded; when the process stops, for as long as the claim lasts. */
  private async settleAtLast(call: Decided, lease: { endMs: number }): Promise<void> {
    for (;;) {
      try {
        return await this.settle(call);
      } catch (error) {
        if (!isPassing(error)) return this.leaveToOperator(call, lease.endMs, error);
        if (this.isDraining && performance.now() > lease.endMs) return;
        await delay(RETRY_MS);
      }
    }
  }

  /**
   * Keeps a claim while its answer is not recorded: a refusal that its supplier does not keep would otherwise be lost,
   * and the unit sent again.
   */
  private async renewUntil(
    settled: Promise<void>,
    unit: ClaimedUnit,
    lease: { endMs: number },
  ): Promise<void> {
    while (!this.isDraining && !(await isDoneBefore(settled, lease.endMs - RENEW_BEFORE_MS))) {
      await this.units.renew(unit, RENEWED_FOR_MS).then(
        () => (lease.endMs = performance.now() + RENEWED_FOR_MS),
        () => delay(RETRY_MS),
      );
    }
    return settled;
  }

  private async settle(call: Decided): Promise<void> {
    const { unit, outcome } = call;
    const settled = await this.settlement.settle({
      key: { orderId: unit.order_id, item: unit.item, unit: unit.unit },
      merchantId: unit.merchant_id,
      claim: unit.claim,
      outcome,
      calls: timelineOf(call),
    });
    this.observer.recorded(call, settled);
  }

  /** An answer that PostgreSQL refuses to record: nothing is sent again for it. */
  private async leaveToOperator(call: EndedCall, leaseEndMs: number, error: unknown): Promise<void> {
    const { unit } = call;
    this.observer.notSettled(unit, error);
    const review = (): Promise<void> =>
      this.database.transaction((tx) => {
        this.units.review(tx, unit);
        this.settlements.recordCalls(tx, timelineOf(call));
        return Promise.resolve();
      });
    await writtenAtLast(review, leaseEndMs, isPassing);
    this.observer.needsReview(unit, 'its supplier’s answer could not be recorded');
  }

  private async postpone(call: Undecided, leaseEndMs: number): Promise<boolean> {
    // Past its lease the unit is inquired about, by whoever claims it then.
    const postponed = await writtenAtLast(() => this.postponements.submit(call), leaseEndMs, isPassing);
    if (!postponed) return false;
    const { supplier_id, due_in_ms } = postponed;
    if (due_in_ms === null) this.observer.needsReview(call.unit);
    else if (due_in_ms > 0) this.notifier.notifyFulfilment([supplier_id], due_in_ms);
    return due_in_ms === 0;
  }

  private postponeBatch(tx: Transaction, calls: Undecided[]): Promise<PostponedUnit[]> {
    const rows = calls.map((call) => ({
      ...call.unit,
      outcome: call.outcome.kind,
      delay_ms: nextCallDelayMs(call),
      may_resend: call.deduplicates,
      can_inquire: call.canBeAsked,
      quiet_ms: BigInt(safeQuietPeriodMs(this.config.SUPPLIER_QUIET_PERIOD_MS, call.unit.timeout_ms)),
    }));
    const postponed = this.units.postpone(tx, rows, BigInt(this.config.SUPPLIER_REVIEW_AFTER_MS));
    this.settlements.recordCalls(tx, calls.flatMap(timelineOf));
    return postponed;
  }
}

/** Whether something ends before a moment, in monotonic milliseconds. */
function isDoneBefore(work: Promise<void>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), untilMs - performance.now());
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

const isDecided = (call: EndedCall): call is Decided => isDefinite(call.outcome);

/** Whether an error says that PostgreSQL is away or busy, and the same may work later. */
const isPassing = (error: unknown): boolean =>
  error instanceof AppError || isConnectionLost(error) || isOverloaded(error);

type UnitColumns = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit'>;

const isUnit = (one: UnitColumns, other: UnitColumns): boolean =>
  one.order_id === other.order_id && one.item === other.item && one.unit === other.unit;
