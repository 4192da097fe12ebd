import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { failpoint } from '../core/failpoints.js';
import { Metrics } from '../core/metrics.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { retryWrite } from '../database/retry-write.js';
import { SettlementRepository } from '../orders/settlement.repository.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { WorkerHeartbeat } from '../queues/worker-heartbeat.js';
import { isDefinite, type UndecidedOutcome } from '../suppliers/supplier-outcome.js';
import { safeQuietPeriodMs } from '../suppliers/supplier-timing.js';
import { AnswerKeeper, isPassing, type Decided } from './answer-keeper.js';
import { nextCallDelayMs } from './backoff.js';
import { UnitObserver } from './unit-observer.js';
import { timelineOf, type EndedCall } from './ended-call.js';
import { UnitsRepository, type ClaimedUnit, type PostponedUnit } from './units.repository.js';

type Undecided = EndedCall<UndecidedOutcome>;

/** Writes down what came of calls to suppliers: settles those units that were decided, and postpones the others. */
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
    private readonly keeper: AnswerKeeper,
    private readonly settlementRepository: SettlementRepository,
    private readonly notifier: WorkNotifier,
    private readonly heartbeat: WorkerHeartbeat,
    private readonly observer: UnitObserver,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Records how a call ended; while PostgreSQL is away or busy it tries again.
   * @param leaseEndMs when the claim's lease ends, in monotonic milliseconds.
   * @returns whether the unit is due again at once.
   */
  async record(call: EndedCall, leaseEndMs: number): Promise<boolean> {
    if (!isDecided(call)) return this.postpone(call as Undecided, leaseEndMs);
    await this.keeper.settle(call, leaseEndMs);
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
      .transaction((tx) => Promise.resolve(this.settlementRepository.recordCalls(tx, calls)))
      // The timeline lacks a line then; the unit is in review all the same.
      .catch(() => undefined);
  }

  private async postpone(call: Undecided, leaseEndMs: number): Promise<boolean> {
    // Past its lease the unit is inquired about, under its next claim.
    const postponed = await retryWrite(() => this.postponements.submit(call), leaseEndMs, isPassing);
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
    this.units.nameAttempts(tx, calls.flatMap(namedAttempt));
    this.settlementRepository.recordCalls(tx, calls.flatMap(timelineOf));
    return postponed;
  }
}

/** The attempt of a call whose answer names the purchase. */
const namedAttempt = ({ unit, outcome }: Undecided) =>
  outcome.kind === 'processing' && outcome.supplierReference !== undefined
    ? [{ ...unit, supplier_reference: outcome.supplierReference }]
    : [];

const isDecided = (call: EndedCall): call is Decided => isDefinite(call.outcome);

type UnitColumns = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit'>;

const isUnit = (one: UnitColumns, other: UnitColumns): boolean =>
  one.order_id === other.order_id && one.item === other.item && one.unit === other.unit;
