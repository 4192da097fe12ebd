import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { isConnectionLost, isOverloaded } from '../core/postgres-errors.js';
import { Database } from '../database/database.js';
import { retryWrite } from '../database/retry-write.js';
import { SettlementRepository } from '../orders/settlement.repository.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { LEASE_MARGIN_MS } from '../suppliers/supplier-timing.js';
import { AttemptAnswersService } from './attempt-answers.service.js';
import { timelineOf, type EndedCall } from './ended-call.js';
import { UnitObserver } from './unit.observer.js';
import { UnitsRepository, type ClaimedUnit } from './units.repository.js';

export type Decided = EndedCall<DefiniteOutcome>;

const RETRY_MS = 500;
/** How long a claim is kept at a time while its answer can't be recorded, and how long before its end it is renewed. */
const RENEWED_FOR_MS = 10_000;
const RENEW_BEFORE_MS = LEASE_MARGIN_MS / 2;
/** Beyond so many, calls keep their slots until their answers are recorded: then suppliers are called less. */
const MAX_KEPT = 5_000;

/** Settles units by their suppliers' definite answers, and keeps an answer that can't be recorded at once. */
@Injectable()
export class SettlementRetryService {
  /** Definite answers that could not be recorded yet. */
  private readonly kept = new Set<Promise<void>>();
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly units: UnitsRepository,
    private readonly answers: AttemptAnswersService,
    private readonly settlementRepository: SettlementRepository,
    private readonly observer: UnitObserver,
  ) {}

  /**
   * Settles a unit. An answer that can't be recorded before its claim's lease is about to end is kept, and with it the
   * claim, while the caller goes on.
   */
  async settle(call: Decided, leaseEndMs: number): Promise<void> {
    const lease = { endMs: leaseEndMs };
    const settling = this.settleAtLast(call, lease);
    if (await isDoneBefore(settling, lease.endMs - RENEW_BEFORE_MS)) return;
    this.observer.kept(call.unit);
    const keeping = this.renewUntil(settling, call.unit, lease)
      .catch((error: unknown) => this.observer.notSettled(call.unit, error))
      .finally(() => this.kept.delete(keeping));
    this.kept.add(keeping);
    if (this.kept.size > MAX_KEPT) await keeping;
  }

  /** Has an answer count that settles nothing any more, and is in the order's timeline: it may contradict how it was. */
  judge(call: Decided): Promise<void> {
    return this.settleOnce(call, []);
  }

  /** Waits for the answers that are kept, for as long as their claims last. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.kept);
  }

  /** Tries until the answer is recorded; when the process stops, for as long as the claim lasts. */
  private async settleAtLast(call: Decided, lease: { endMs: number }): Promise<void> {
    for (;;) {
      try {
        return await this.settleOnce(call);
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
  private async renewUntil(settled: Promise<void>, unit: ClaimedUnit, lease: { endMs: number }): Promise<void> {
    while (!this.isDraining && !(await isDoneBefore(settled, lease.endMs - RENEW_BEFORE_MS))) {
      await this.units.renew(unit, RENEWED_FOR_MS).then(
        () => (lease.endMs = performance.now() + RENEWED_FOR_MS),
        () => delay(RETRY_MS),
      );
    }
    return settled;
  }

  private async settleOnce(call: Decided, calls = timelineOf(call)): Promise<void> {
    const { unit } = call;
    const settled = await this.answers.settle({
      key: { orderId: unit.order_id, item: unit.item, unit: unit.unit },
      merchantId: unit.merchant_id,
      kind: unit.kind,
      by: { kind: 'call', attempt: unit.attempt, claim: unit.claim },
      outcome: call.outcome,
      sent: { adapter: unit.adapter, times: unit.sends, knownAs: unit.supplier_reference },
      calls,
    });
    if (typeof settled === 'string') this.observer.recorded(call, settled);
    else this.observer.goesOn(unit, settled);
  }

  /** An answer that PostgreSQL refuses to record: nothing is sent again for it. */
  private async leaveToOperator(call: Decided, leaseEndMs: number, error: unknown): Promise<void> {
    const { unit } = call;
    this.observer.notSettled(unit, error);
    const review = (): Promise<void> =>
      this.database.transaction((tx) => {
        this.units.review(tx, unit);
        this.settlementRepository.recordCalls(tx, timelineOf(call));
        return Promise.resolve();
      });
    await retryWrite(review, leaseEndMs, isPassing);
    this.observer.needsReview(unit, 'its supplier’s answer could not be recorded');
  }
}

/** Whether something ends before a moment, in monotonic milliseconds. */
function isDoneBefore(work: Promise<void>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), untilMs - performance.now());
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

/** Whether an error says that PostgreSQL is away or busy, and the same may work later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AppError || isConnectionLost(error) || isOverloaded(error);
