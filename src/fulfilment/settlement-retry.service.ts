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
import { historyEntriesOf, type EndedCall } from './ended-call.js';
import { UnitObserver } from './unit.observer.js';
import { UnitsRepository, type ClaimedUnit } from './units.repository.js';

export type DefiniteCall = EndedCall<DefiniteOutcome>;

const RETRY_MS = 500;
/** While an answer cannot be recorded, its claim is extended for this long at a time. */
const RENEWED_FOR_MS = 10_000;
/** A claim is extended when this much of its lease is left. */
const RENEW_BEFORE_MS = LEASE_MARGIN_MS / 2;
/** With more unrecorded answers than this, a call's task ends only once its answer is recorded. So suppliers get fewer calls. */
const MAX_UNRECORDED = 5_000;

/** Settles units by definite answers of suppliers. If PostgreSQL cannot record an answer at once, it retries. */
@Injectable()
export class SettlementRetryService {
  /** Answers that could not be recorded yet. */
  private readonly unrecorded = new Set<Promise<void>>();
  private isDraining = false;

  constructor(
    private readonly database: Database,
    private readonly units: UnitsRepository,
    private readonly answers: AttemptAnswersService,
    private readonly settlementRepository: SettlementRepository,
    private readonly observer: UnitObserver,
  ) {}

  /**
   * Settles a unit. If the answer is still not recorded shortly before the lease ends, the service extends the claim and goes on
   * retrying, while the caller continues.
   */
  async settle(call: DefiniteCall, leaseEndMs: number): Promise<void> {
    const lease = { endMs: leaseEndMs };
    const settling = this.settleAtLast(call, lease);
    if (await isDoneBefore(settling, lease.endMs - RENEW_BEFORE_MS)) return;
    this.observer.unrecorded(call.unit);
    const extending = this.renewUntil(settling, call.unit, lease)
      .catch((error: unknown) => this.observer.notSettled(call.unit, error))
      .finally(() => this.unrecorded.delete(extending));
    this.unrecorded.add(extending);
    if (this.unrecorded.size > MAX_UNRECORDED) await extending;
  }

  /** Applies an answer whose claim no longer holds, and which the order history already has. It may contradict the settlement. */
  judge(call: DefiniteCall): Promise<void> {
    return this.settleOnce(call, []);
  }

  /** Waits until the unrecorded answers are recorded, or their claims end. */
  async drain(): Promise<void> {
    this.isDraining = true;
    await Promise.all(this.unrecorded);
  }

  /** Retries until the answer is recorded; while the process stops, only as long as the claim lasts. */
  private async settleAtLast(call: DefiniteCall, lease: { endMs: number }): Promise<void> {
    for (;;) {
      try {
        return await this.settleOnce(call);
      } catch (error) {
        if (!isPassing(error)) return this.sendToReview(call, lease.endMs, error);
        if (this.isDraining && performance.now() > lease.endMs) return;
        await delay(RETRY_MS);
      }
    }
  }

  /** Extends a claim until its answer is recorded: otherwise a refusal could be lost, and the unit sent again. */
  private async renewUntil(settled: Promise<void>, unit: ClaimedUnit, lease: { endMs: number }): Promise<void> {
    while (!this.isDraining && !(await isDoneBefore(settled, lease.endMs - RENEW_BEFORE_MS))) {
      await this.units.renew(unit, RENEWED_FOR_MS).then(
        () => (lease.endMs = performance.now() + RENEWED_FOR_MS),
        () => delay(RETRY_MS),
      );
    }
    return settled;
  }

  private async settleOnce(call: DefiniteCall, calls = historyEntriesOf(call)): Promise<void> {
    const { unit } = call;
    const settled = await this.answers.settle({
      key: { orderId: unit.order_id, item: unit.item, unit: unit.unit },
      merchantId: unit.merchant_id,
      kind: unit.kind,
      by: { kind: 'call', attempt: unit.attempt, claim: unit.claim },
      outcome: call.outcome,
      sent: {
        adapter: unit.adapter,
        times: unit.sends,
        knownAs: unit.supplier_reference,
        isInquiry: call.kind === 'inquiry',
      },
      calls,
    });
    if (typeof settled === 'string') this.observer.recorded(call, settled);
    else this.observer.attemptBegun(unit, settled);
  }

  /** Sends a unit to review if PostgreSQL refuses its answer for good: no worker sends a unit in review again. */
  private async sendToReview(call: DefiniteCall, leaseEndMs: number, error: unknown): Promise<void> {
    const { unit } = call;
    this.observer.notSettled(unit, error);
    const review = (): Promise<void> =>
      this.database.transaction((tx) => {
        this.units.review(tx, unit);
        this.settlementRepository.recordCalls(tx, historyEntriesOf(call));
      });
    await retryWrite(review, leaseEndMs, isPassing);
    this.observer.needsReview(unit, 'its supplier’s answer could not be recorded');
  }
}

/** @param untilMs in monotonic milliseconds. */
function isDoneBefore(work: Promise<void>, untilMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), untilMs - performance.now());
    work.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}

/** Whether PostgreSQL is away or busy, so that a retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  error instanceof AppError || isConnectionLost(error) || isOverloaded(error);
