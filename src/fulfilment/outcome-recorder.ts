import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LEASE_MARGIN_MS, safeQuietPeriodMs } from '../suppliers/supplier-timing.js';
import { CONFIG, type Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { failpoint } from '../core/failpoints.js';
import { Metrics } from '../core/metrics.js';
import { isConnectionLost, isOverloaded } from '../core/postgres-errors.js';
import { Database, type Transaction } from '../database/database.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { writtenAtLast } from '../database/while-away.js';
import { OrderSettlement, type UnitResult } from '../orders/order-settlement.js';
import { recordSupplierCalls, type SupplierCall } from '../orders/supplier-calls.js';
import { WorkNotifier } from '../queues/work-notifier.js';
import { inquiryDelayMs, resendDelayMs } from './backoff.js';
import { CallReport } from './call-report.js';
import type { Outcome, SupplierAdapter } from '../suppliers/supplier-adapter.js';
import {
  POSTPONE_UNITS,
  RENEW_CLAIM,
  REVIEW_UNIT,
  type ClaimedUnit,
  type PostponedUnit,
} from './units.sql.js';

type Definite = Extract<Outcome, { kind: 'succeeded' | 'failed' }>;
type Undecided = Exclude<Outcome, Definite>;

/** How a call ended, and what the timeline says of it. */
export interface EndedCall<Kind extends Outcome = Outcome> {
  unit: ClaimedUnit;
  outcome: Kind;
  adapter: SupplierAdapter;
  calls: SupplierCall[];
  /** When the claim's lease ends, in monotonic milliseconds. */
  leaseEndMs: number;
}

const RETRY_MS = 500;
/** How long a claim is kept at a time while its answer can't be recorded, and how long before its end it is renewed. */
const RENEWED_FOR_MS = 10_000;
const RENEW_BEFORE_MS = LEASE_MARGIN_MS / 2;
/** Beyond so many, calls keep their places until their answers are recorded: then suppliers are called less. */
const MAX_KEPT = 5_000;

/** Writes down what came of calls to suppliers: settles the units that were decided, and postpones the others. */
@Injectable()
export class OutcomeRecorder {
  private readonly postponements = new GroupCommit<EndedCall<Undecided>, PostponedUnit | null>({
    commit: async (ended) => {
      const postponed = await this.database.transaction((tx) => this.postponeBatch(tx, ended));
      failpoint('unit.postponed');
      return ended.map(({ unit }) => succeeded(postponed.find((each) => isUnit(unit, each)) ?? null));
    },
    onBatch: (waitedMs) => this.metrics.batches.postponement(waitedMs),
  });

  /** Definite answers that could not be recorded yet. */
  private readonly kept = new Set<Promise<void>>();
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly settlement: OrderSettlement,
    private readonly notifier: WorkNotifier,
    private readonly report: CallReport,
    private readonly metrics: Metrics,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /**
   * Records how a call ended; while PostgreSQL is away or busy it tries again. A definite answer that takes longer is
   * kept, and with it the claim, while the caller goes on.
   * @returns whether the unit is due again at once.
   */
  async record(ended: EndedCall): Promise<boolean> {
    if (isDefinite(ended)) {
      await this.settleOrKeep(ended);
      return false;
    }
    return this.postpone(ended as EndedCall<Undecided>);
  }

  /** Waits for the answers that are kept, for as long as their claims last. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.kept);
  }

  private async settleOrKeep(ended: EndedCall<Definite>): Promise<void> {
    const lease = { endMs: ended.leaseEndMs };
    const settling = this.settleAtLast(ended, lease);
    if (await isDoneBefore(settling, lease.endMs - RENEW_BEFORE_MS)) return;
    this.report.kept(ended.unit);
    const keeping = this.renewUntil(settling, ended.unit, lease)
      .catch((error: unknown) => this.report.notSettled(ended.unit, error))
      .finally(() => this.kept.delete(keeping));
    this.kept.add(keeping);
    if (this.kept.size > MAX_KEPT) await keeping;
  }

  /** Tries until the answer is recorded; when the process stops, for as long as the claim lasts. */
  private async settleAtLast(ended: EndedCall<Definite>, lease: { endMs: number }): Promise<void> {
    for (;;) {
      try {
        return await this.settle(ended);
      } catch (error) {
        if (!isPassing(error)) return this.leaveToOperator(ended, error);
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
      const { order_id, item, unit: piece, claim } = unit;
      const renewing = this.database.query(RENEW_CLAIM, [order_id, item, piece, claim, RENEWED_FOR_MS]);
      await renewing.then(
        () => (lease.endMs = performance.now() + RENEWED_FOR_MS),
        () => delay(RETRY_MS),
      );
    }
    return settled;
  }

  private async settle({ unit, outcome, calls }: EndedCall<Definite>): Promise<void> {
    const settled = await this.settlement.settle({
      key: { orderId: unit.order_id, item: unit.item, unit: unit.unit },
      merchantId: unit.merchant_id,
      claim: unit.claim,
      result: toResult(outcome),
      calls,
    });
    if (settled === 'settled') this.report.settled(unit, outcome.kind);
    else if (settled === 'superseded') this.report.superseded(unit);
    else if (settled === 'contradiction') this.report.contradiction(unit, outcome);
  }

  /** An answer that PostgreSQL refuses to record: nothing is sent again for it. */
  private async leaveToOperator({ unit, calls, leaseEndMs }: EndedCall, error: unknown): Promise<void> {
    this.report.notSettled(unit, error);
    const review = (): Promise<void> =>
      this.database.transaction((tx) => {
        tx.write(REVIEW_UNIT, [unit.order_id, unit.item, unit.unit, unit.claim]);
        recordSupplierCalls(tx, calls);
        return Promise.resolve();
      });
    await writtenAtLast(review, leaseEndMs, isPassing);
    this.report.needsReview(unit, 'its supplier’s answer could not be recorded');
  }

  private async postpone(ended: EndedCall<Undecided>): Promise<boolean> {
    // Past its lease the unit is inquired about, by whoever claims it then.
    const postponed = await writtenAtLast(
      () => this.postponements.submit(ended),
      ended.leaseEndMs,
      isPassing,
    );
    if (!postponed) return false;
    const { supplier_id, due_in_ms } = postponed;
    if (due_in_ms === null) this.report.needsReview(ended.unit);
    else if (due_in_ms > 0) this.notifier.notifyFulfilment([supplier_id], due_in_ms);
    return due_in_ms === 0;
  }

  private postponeBatch(tx: Transaction, ended: EndedCall<Undecided>[]): Promise<PostponedUnit[]> {
    const units = ended.map(({ unit }) => unit);
    const postponed = tx.query<PostponedUnit>(POSTPONE_UNITS, [
      units.map(({ order_id }) => order_id),
      units.map(({ item }) => item),
      units.map(({ unit }) => unit),
      units.map(({ claim }) => claim),
      ended.map(({ outcome }) => outcome.kind),
      ended.map(delayMs),
      ended.map(({ adapter }) => adapter.deduplicates),
      ended.map(({ adapter }) => adapter.inquire !== null),
      units.map(({ timeout_ms }) => safeQuietPeriodMs(this.config.SUPPLIER_QUIET_PERIOD_MS, timeout_ms)),
      this.config.SUPPLIER_REVIEW_AFTER_MS,
    ]);
    recordSupplierCalls(tx, ended.flatMap(({ calls }) => calls)); // prettier-ignore
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

const isDefinite = (ended: EndedCall): ended is EndedCall<Definite> =>
  ended.outcome.kind === 'succeeded' || ended.outcome.kind === 'failed';

/** Whether an error says that PostgreSQL is away or busy, and the same may work later. */
const isPassing = (error: unknown): boolean =>
  error instanceof AppError || isConnectionLost(error) || isOverloaded(error);

type UnitColumns = Pick<ClaimedUnit, 'order_id' | 'item' | 'unit'>;

const isUnit = (one: UnitColumns, other: UnitColumns): boolean =>
  one.order_id === other.order_id && one.item === other.item && one.unit === other.unit;

function toResult(outcome: Definite): UnitResult {
  if (outcome.kind === 'failed') return { state: 'failed', code: outcome.code, message: outcome.message };
  return { state: 'succeeded', supplierReference: outcome.supplierReference };
}

/** A supplier that asks for less than this asks for nothing: our own delays hold, which grow. */
const LEAST_RETRY_AFTER_MS = 1_000;

function delayMs({ unit, outcome }: EndedCall<Undecided>): number {
  const usual = outcome.kind === 'not_accepted' ? resendDelayMs(unit.sends) : inquiryDelayMs(unit.inquiries);
  const asked = ('retryAfterMs' in outcome && outcome.retryAfterMs) || 0;
  if (asked < LEAST_RETRY_AFTER_MS) return usual;
  return Math.round(outcome.kind === 'not_accepted' ? asked : Math.max(asked, usual));
}
