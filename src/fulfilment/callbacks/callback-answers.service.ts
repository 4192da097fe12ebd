import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../../core/core.module.js';
import { withDeadline } from '../../core/durations.js';
import type { Logger } from '../../core/logger.js';
import { Metrics } from '../../core/metrics.js';
import { processName } from '../../core/process.js';
import { AttemptAnswersService } from '../attempt-answers.service.js';
import { aboutAttempt, AttemptLogService } from '../attempt-log.service.js';
import { isTerminalUnit } from '../../orders/states.js';
import {
  isAboutAnother,
  isDefinite,
  type AboutAnother,
  type DefiniteOutcome,
  type SupplierOutcome,
} from '../../suppliers/supplier-outcome.js';
import type { CallingSupplier } from '../../suppliers/suppliers.repository.js';
import { awaitingCode, lacksCode } from '../../orders/codes/delivered.js';
import type { FoundAttempt } from './supplier-callbacks.repository.js';

/** A supplier waits for our answer to its callback. If settling takes longer than this, workers query the supplier instead. */
const SETTLE_WITHIN_MS = 5_000;

/**
 * What the outcome in a callback changed.
 * - `settled`: it settled the unit, or a refusal began another attempt or sent the unit to review.
 * - `contradicted`: it opened or changed a discrepancy. It contradicts how its attempt or the unit ended, or reports a
 *   second purchase.
 * - `nothing_new`: we already knew it, or the purchase is still in progress.
 * - `undecided`: it decided nothing, so the service must query the supplier.
 * - `unrecorded`: PostgreSQL could not store it. So the service must query the supplier, or the supplier must repeat the callback.
 */
export type Answered = 'settled' | 'contradicted' | 'nothing_new' | 'undecided' | 'unrecorded';

/** Applies the outcomes that suppliers report by callback. */
@Injectable()
export class CallbackAnswersService {
  private readonly process = processName('api');

  constructor(
    private readonly answers: AttemptAnswersService,
    private readonly log: AttemptLogService,
    private readonly metrics: Metrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param supplierReference the supplier's reference in the callback.
   * @param isRepeated whether a callback with the same delivery id was received before.
   */
  async apply(
    { code: supplier, adapter }: Pick<CallingSupplier, 'code' | 'adapter'>,
    attempt: FoundAttempt,
    outcome: SupplierOutcome,
    supplierReference: string | null,
    isRepeated: boolean,
  ): Promise<Answered> {
    if (isAboutAnother(outcome)) return this.reportSurplus(supplier, attempt, outcome);
    if (!isDefinite(outcome)) return outcome.kind === 'processing' && !isGivenUp(attempt) ? 'nothing_new' : 'undecided';
    try {
      const settling = this.settle({ supplier, adapter, supplierReference }, attempt, outcome, isRepeated);
      return await withDeadline(settling, SETTLE_WITHIN_MS);
    } catch (error) {
      const about = { ...aboutAttempt({ ...attempt, supplier }), reason: (error as Error).message };
      this.logger.warn(
        about,
        'a callback could not settle its unit: the supplier is queried, or must repeat the callback',
      );
      return 'unrecorded';
    }
  }

  private async reportSurplus(supplier: string, attempt: FoundAttempt, outcome: AboutAnother): Promise<Answered> {
    const isNew = await this.answers.reportSurplus(attempt, outcome);
    if (isNew) this.log.contradicted({ ...attempt, supplier }, outcome);
    return isNew && isTerminalUnit(attempt.state) ? 'contradicted' : 'undecided';
  }

  private async settle(
    { supplier, adapter, supplierReference }: { supplier: string; adapter: string; supplierReference: string | null },
    attempt: FoundAttempt,
    outcome: DefiniteOutcome,
    isRepeated: boolean,
  ): Promise<Answered> {
    const { process } = this;
    const isCodeMissing = lacksCode(attempt.kind, outcome);
    const reported = isCodeMissing ? awaitingCode(outcome) : outcome;
    const settled = await this.answers.settle({
      key: { orderId: attempt.order_id, item: attempt.item, unit: attempt.unit },
      merchantId: attempt.merchant_id,
      kind: attempt.kind,
      by: { kind: 'report', attempt: attempt.attempt },
      outcome: outcome.kind === 'failed' && supplierReference !== null ? { ...outcome, supplierReference } : outcome,
      sent: { adapter, times: attempt.sends },
      isRepeated,
      calls: isRepeated ? [] : [{ unit: attempt, kind: 'callback', outcome: reported, durationMs: 0, process }],
    });
    if (typeof settled !== 'string') {
      this.metrics.attemptBegun(supplier, settled.supplier);
      return 'settled';
    }
    switch (settled) {
      case 'settled':
        this.metrics.unitSettled(supplier, outcome.kind);
        return 'settled';
      case 'review':
        this.log.soldBefore({ ...attempt, supplier });
        return 'settled';
      case 'reversal':
        this.log.contradicted({ ...attempt, supplier }, outcome);
        return 'contradicted';
      case 'settled_before':
        return 'nothing_new';
      case 'superseded':
        return 'undecided';
    }
  }
}

/** Whether the attempt ended without a purchase. Then its supplier must not have the purchase in progress. */
export const isGivenUp = ({ attempt, latest_attempt: latest, state }: FoundAttempt): boolean =>
  attempt < latest || state === 'failed';
