import { Injectable } from '@nestjs/common';
import { OrderSettlement } from '../orders/order-settlement.js';
import type { SupplierOutcome } from '../suppliers/supplier-outcome.js';
import type { FoundAttempt } from './supplier-callbacks.repository.js';

/**
 * What a supplier's word about an attempt came to.
 * - `settled`: it settled the unit.
 * - `nothing_new`: the unit had been settled; a contradiction is on record as a reversal.
 * - `undecided`: the supplier is to be asked.
 */
export type Answered = 'settled' | 'nothing_new' | 'undecided';

/** Takes what suppliers say of attempts without having been asked. */
@Injectable()
export class AttemptAnswers {
  constructor(private readonly settlement: OrderSettlement) {}

  /** Nothing happens twice: settling compares and sets. @throws SERVICE_UNAVAILABLE */
  async answered(attempt: FoundAttempt, outcome: SupplierOutcome): Promise<Answered> {
    if (outcome.kind !== 'succeeded' || attempt.attempt !== attempt.latest_attempt) return 'undecided';
    const settled = await this.settlement.settle({
      key: { orderId: attempt.order_id, item: attempt.item, unit: attempt.unit },
      merchantId: attempt.merchant_id,
      attempt: attempt.attempt,
      claim: null,
      outcome,
      calls: [],
    });
    if (settled === 'superseded') return 'undecided';
    return settled === 'settled' ? 'settled' : 'nothing_new';
  }
}
