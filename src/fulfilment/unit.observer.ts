import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import type { Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { WorkLog } from '../queues/work-observer.js';
import type { SettleResult } from '../orders/order-settlement.service.js';
import { outcomeDetail, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { aboutAttempt, AttemptLogService } from './attempt-log.service.js';
import type { EndedCall } from './ended-call.js';
import type { NextAttempt } from './attempts.repository.js';
import type { ClaimedUnit, ReviewedUnit } from './units.repository.js';

/** Metrics do not count units of the sandbox. Their undecided calls and reviews are no warnings or errors. */
const isSandbox = ({ supplier_id }: ReviewedUnit): boolean => supplier_id === SANDBOX_SUPPLIER_ID;

/** Logs and counts what happens to units. Each line about a unit names its request, its order and its reference. */
@Injectable()
export class UnitObserver extends WorkLog<ClaimedUnit> {
  constructor(
    @Inject(LOGGER) logger: Logger,
    private readonly metrics: Metrics,
    private readonly attempts: AttemptLogService,
  ) {
    super('fulfilment', logger);
  }

  calling(unit: ClaimedUnit): void {
    this.logger.debug({ action: unit.action, ...this.about(unit) }, 'calling a supplier');
  }

  /** Warns if the supplier did not accept the call, or if its outcome is unknown. */
  answered({ unit, kind, outcome, durationMs, wasNotCalled = false }: EndedCall): void {
    if (!isSandbox(unit) && !wasNotCalled)
      this.metrics.supplierCalled(unit.supplier, kind, outcome.kind, durationMs / 1000);
    const call = {
      action: unit.action,
      outcome: outcome.kind,
      detail: outcomeDetail(outcome),
      durationMs: Math.round(durationMs),
      ...this.about(unit),
    };
    if (outcome.kind === 'not_accepted' && outcome.fault === 'credentials') {
      this.logger.error(call, 'the supplier refuses our credentials: correct them with topup supplier set');
    } else if (!isSandbox(unit) && (outcome.kind === 'unknown' || outcome.kind === 'not_accepted')) {
      this.logger.warn(call, 'a supplier call did not decide a unit');
    } else {
      this.logger.debug(call, 'supplier answered');
    }
  }

  /** @param settled the result of recording a definite answer. */
  recorded({ unit, outcome }: EndedCall<DefiniteOutcome>, settled: SettleResult): void {
    switch (settled) {
      case 'settled':
        if (!isSandbox(unit)) this.metrics.unitSettled(unit.supplier, outcome.kind);
        return this.logger.debug({ state: outcome.kind, ...this.about(unit) }, 'unit settled');
      case 'superseded':
        return this.logger.warn(
          this.about(unit),
          'an answer settles nothing, because it is about an older call or its code is missing: ignored',
        );
      case 'reversal':
        return this.attempts.contradicted(unit, outcome);
      case 'review':
        return this.attempts.soldBefore(unit);
      case 'settled_before':
        return;
    }
  }

  /** The supplier sold another purchase under the same reference. */
  soldBesides({ unit, outcome }: EndedCall): void {
    this.attempts.contradicted(unit, outcome);
  }

  /** An answer stays in memory until it can be recorded. */
  unrecorded(unit: ClaimedUnit): void {
    this.logger.warn(this.about(unit), 'an answer could not be recorded yet: retrying');
  }

  notSettled(unit: ClaimedUnit, error: unknown): void {
    this.logger.error({ ...this.about(unit), err: error }, 'a unit was not settled');
  }

  /** Another attempt for the unit has begun. */
  attemptBegun(unit: ClaimedUnit, { attempt, supplier, due_in_ms: dueInMs }: NextAttempt): void {
    this.metrics.attemptBegun(unit.supplier, supplier);
    this.logger.warn({ ...this.about(unit), attempt, next: supplier, dueInMs }, 'another attempt to buy a unit begins');
  }

  offerTakenOff({ supplier, supplier_sku: sku }: ClaimedUnit, detail: string): void {
    this.logger.error(
      { supplier, sku, detail },
      'the supplier refuses the SKU or the player template of an offer: the offer is off, see topup offer list',
    );
  }

  /** @param pausedMs the length of the pause; 0 when the supplier answers again. */
  paused(supplier: string, pausedMs: number): void {
    this.metrics.supplierPaused(supplier, pausedMs > 0);
    if (pausedMs > 0) this.logger.warn({ supplier, pausedMs }, 'a supplier accepts nothing: pausing it for a moment');
    else this.logger.info({ supplier }, 'a supplier answers again');
  }

  /** A supplier accepted nothing, and gets no calls any more. */
  forgotten(supplier: string): void {
    this.metrics.supplierPaused(supplier, false);
    this.logger.info({ supplier }, 'a supplier that accepted nothing gets no calls any more');
  }

  needsReview(unit: ReviewedUnit, reason?: string): void {
    if (isSandbox(unit)) return this.logger.info(this.about(unit), 'a unit of the sandbox waits for an operator');
    this.logger.error({ ...this.about(unit), reason }, 'a unit needs review: see topup order list --review');
  }

  protected about(unit: ReviewedUnit): object {
    return aboutAttempt(unit);
  }
}
