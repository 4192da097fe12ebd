import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { LOGGER } from '../core/core.module.js';
import { failure } from '../core/failures.js';
import type { Logger } from '../core/logger.js';
import { OrderSettlementService } from '../orders/order-settlement.service.js';
import { unitName } from '../orders/order.rows.js';
import { AttemptsRepository, type PausedUnit } from './attempts.repository.js';
import { FailoverService } from './failover.service.js';
import { ListPace } from './list-pace.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { UnitsRepository } from './units.repository.js';

const BATCH = 500;

/**
 * Buys units that wait for a paused supplier at another supplier, if possible, and fails units that have waited too long. If an
 * earlier attempt was bought after all, the unit goes to review instead. Units in doubt are not bought elsewhere and never fail: if
 * they are in doubt for too long, they go to review.
 */
@Injectable()
export class PausedUnitsService {
  /**
   * Any number of units may wait for a paused supplier although no other one sells them. Each list reads the units of all
   * paused suppliers, so the pace is one for all of them: many units of one supplier also delay the others, for at most half a minute.
   */
  private readonly pace = new ListPace();

  constructor(
    private readonly attempts: AttemptsRepository,
    private readonly failover: FailoverService,
    private readonly settlement: OrderSettlementService,
    private readonly units: UnitsRepository,
    private readonly recorder: OutcomeRecorder,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Handles a batch of units, even if some of them fail.
   * @param areProbesRecorded whether due probes can be recorded, now or soon. If not, no unit waits for a due probe.
   * @throws the first failure.
   */
  async handle(areProbesRecorded: boolean): Promise<void> {
    const paused = await this.pace.read(BATCH, () => this.attempts.listPaused(BATCH, areProbesRecorded));
    const handled = paused.map((unit) => this.buyElsewhereOrFail(unit));
    await Promise.allSettled(handled);
    const reviewed = await this.units.reviewPaused(BigInt(this.config.SUPPLIER_REVIEW_AFTER_MS), BATCH);
    if (reviewed.length > 0) await this.recorder.recordReviews(reviewed);
    await Promise.all(handled);
  }

  private async buyElsewhereOrFail(unit: PausedUnit): Promise<void> {
    const { order_id: orderId, item, unit: number, attempt, supplier } = unit;
    const key = { orderId, item, unit: number };
    const about = {
      orderNumber: unit.order_number,
      unit: unitName(unit),
      supplier,
      heldMs: Math.round(unit.waited_ms),
    };
    if (unit.is_sold && (await this.sendSoldToReview(unit))) return;
    const next = await this.failover.begin({ key, attempt, claim: null, refusal: null, calls: [] });
    if (next)
      return this.logger.warn({ ...about, next: next.supplier }, 'a unit of a paused supplier is bought elsewhere');
    if (!unit.is_overdue || (await this.sendSoldToReview(unit))) return;
    const reported = await this.failover.mostHelpful(key, attempt, failure('SUPPLIER_UNAVAILABLE'));
    const settled = await this.settlement.settle({
      key,
      merchantId: unit.merchant_id,
      outcome: { kind: 'failed', ...reported },
      // Another worker may have begun a new attempt meanwhile. That attempt has not waited, so it must not fail.
      by: { kind: 'cancellation', seenAttempt: attempt },
    });
    if (settled === 'settled') this.logger.error(about, 'a unit waited too long for a paused supplier: it has failed');
  }

  /** Sends a unit to review if a supplier has reported that an earlier attempt bought it. @returns whether that is so. */
  private async sendSoldToReview(unit: PausedUnit): Promise<boolean> {
    const reviewed = await this.units.reviewSold(unit);
    if (reviewed.length > 0) await this.recorder.recordReviews(reviewed);
    return reviewed.length > 0;
  }
}
