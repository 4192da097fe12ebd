import { Injectable } from '@nestjs/common';
import type { ProductKind } from '../core/product-kind.js';
import type { Transaction } from '../database/database.js';
import { OrderSettlement, type Settled } from '../orders/order-settlement.js';
import type { UnitKey } from '../orders/order.rows.js';
import type { SupplierCall } from '../orders/supplier-calls.js';
import { costColumns, type DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { lacksCode } from '../unit-deliveries/delivered.js';
import { UnitDeliveries } from '../unit-deliveries/unit-deliveries.js';
import { AttemptsRepository, type NextAttempt } from './attempts.repository.js';
import { NextAttempts } from './next-attempts.js';

/** What a supplier said for good about an attempt. */
export interface DecidedAttempt {
  key: UnitKey;
  merchantId: number;
  /** What the unit is. */
  kind: ProductKind;
  attempt: number;
  /** The claim whose call was answered; null where the supplier called us. */
  claim: number | null;
  outcome: DefiniteOutcome;
  /** Whether it came before, as a callback that is sent again. */
  isRepeated?: boolean;
  /** For the timeline. */
  calls: SupplierCall[];
}

/** The one way in which a supplier's definite word about an attempt takes effect, however it reached us. */
@Injectable()
export class AttemptAnswers {
  constructor(
    private readonly settlement: OrderSettlement,
    private readonly attempts: AttemptsRepository,
    private readonly next: NextAttempts,
    private readonly deliveries: UnitDeliveries,
  ) {}

  /**
   * Settles the unit, or after a refusal goes on with another attempt. A word about an attempt that was followed by
   * another one settles nothing: what it bought is a case for the operator. Neither does a success that lacks its code.
   * To be done again when it throws SERVICE_UNAVAILABLE or a timeout of PostgreSQL.
   */
  async settle(decided: DecidedAttempt): Promise<Settled | NextAttempt> {
    const { key, kind, attempt, claim, outcome, calls } = decided;
    if (outcome.kind === 'succeeded') {
      const delivered = this.deliveries.seal(kind, outcome);
      const handedOver = { delivered, lacksCode: lacksCode(kind, outcome) };
      return this.settlement.settle({ ...decided, ...handedOver, ...this.withCost(decided) });
    }
    if (outcome.isPriceRefused) await this.attempts.rereadProduct(key, attempt);
    const next = await this.goOn(decided);
    if (next) return next;
    const told = await this.next.mostTelling(key, attempt, outcome);
    return this.settlement.settle({ ...decided, outcome: { ...outcome, ...told }, claim, calls });
  }

  private async goOn({ key, attempt, claim, outcome, calls }: DecidedAttempt): Promise<NextAttempt | null> {
    if (outcome.kind !== 'failed' || !(outcome.failover || outcome.retryAfterMs)) return null;
    return this.next.begin({ key, attempt, claim, refusal: outcome, calls });
  }

  /** The cost is kept with the attempt by the transaction that settles the unit. */
  private withCost({ key, attempt, outcome }: DecidedAttempt): { alongside?: (tx: Transaction) => void } {
    const { cost_micros, cost_currency } = costColumns(outcome);
    if (cost_micros === null) return {};
    const { orderId: order_id, item, unit } = key;
    const unnamed = { supplier_reference: null, is_hearsay: false, is_misnamed: false };
    const noted = {
      order_id,
      item,
      unit,
      attempt,
      ...unnamed,
      cost_micros,
      cost_currency,
      unconfirmed: null,
    };
    return { alongside: (tx) => this.attempts.note(tx, [noted]) };
  }
}
