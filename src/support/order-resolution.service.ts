import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { recordAction, type Actor } from '../audit-log/audit-log.js';
import { AppError } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import type { Transaction } from '../database/database.js';
import { unitName, type OrderRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { OrderSettlementService } from '../orders/order-settlement.service.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { UnitDeliveriesRepository } from '../orders/codes/unit-deliveries.repository.js';
import { noSuchUnit } from './order-problems.js';
import { OrderSupportRepository } from './order-support.repository.js';

interface Resolution extends Actor {
  order: Pick<OrderRow, 'id' | 'merchant_id'>;
  item: number;
  unit: number;
  /** The attempt that the operator saw: a unit at another attempt is not settled. Without it, any attempt may be settled. */
  seenAttempt?: number | undefined;
  /** The outcome that the operator got from the supplier. */
  outcome: DefiniteOutcome;
  /** 1 to 500 characters, for the audit log. */
  reason: string;
}

const POLL_MS = 200;
/** Longer than a call takes, unless the supplier has a longer timeout. */
const MAX_WAIT_MS = 60_000;

/** Settles units in doubt or in review on an operator's decision. */
@Injectable()
export class OrderResolutionService {
  constructor(
    private readonly orders: OrderSupportRepository,
    private readonly settlement: OrderSettlementService,
    private readonly deliveries: UnitDeliveriesRepository,
  ) {}

  /**
   * Settles a unit with the effects of a supplier's answer: the last unit ends the order, and money moves. While a
   * repeated call that may buy the unit is in flight, the decision waits for the answer, for at most a minute. If the
   * operator names the purchase of a `bought_late` or `unknown_purchase` discrepancy as the success, the merchant gets
   * the deliveries of that purchase.
   * @throws BAD_REQUEST; NOT_FOUND; CONFLICT unless the unit is in unknown or review, and at the attempt that the operator saw.
   */
  async resolve(resolution: Resolution): Promise<void> {
    const problem = resolutionProblem(resolution);
    if (problem) throw new AppError('BAD_REQUEST', problem);
    const { order } = resolution;
    const key = { orderId: order.id, item: resolution.item, unit: resolution.unit };
    const action = {
      action: 'order.resolve',
      merchantId: order.merchant_id,
      orderId: order.id,
      detail: toDetail(resolution),
    } as const;
    const command = {
      key,
      merchantId: order.merchant_id,
      outcome: resolution.outcome,
      by: { kind: 'operator', seenAttempt: resolution.seenAttempt } as const,
      alsoWrite: (tx: Transaction) => {
        recordAction(tx, resolution, action);
        if (isNamedSuccess(resolution)) this.deliveries.handOverFromDiscrepancy(tx, key);
      },
    };
    const giveUpAt = performance.now() + MAX_WAIT_MS;
    while ((await this.settlement.settle(command)) !== 'settled') {
      const unit = await this.getUnit(key);
      assertNotMoved(unit, resolution);
      // The unit may have come into doubt after this settlement was refused: then the next try settles it.
      if (!isRepeatInFlight(unit) && !isInDoubt(unit)) throw conflict(unit);
      if (performance.now() > giveUpAt) throw conflict(unit);
      await delay(POLL_MS);
    }
  }

  /** @throws NOT_FOUND */
  private async getUnit(key: UnitKey): Promise<UnitRow> {
    const units = await this.orders.listUnits(key.orderId);
    const unit = units.find(({ item, unit }) => item === key.item && unit === key.unit);
    if (!unit) throw noSuchUnit(key, units);
    return unit;
  }
}

const isNamedSuccess = ({ outcome }: Resolution): boolean =>
  outcome.kind === 'succeeded' && outcome.supplierReference !== null;

/** Whether a repeated call that may buy the unit is in flight. */
const isRepeatInFlight = ({ state, unknown_since }: UnitRow): boolean => state === 'sending' && unknown_since !== null;

const isInDoubt = ({ state }: UnitRow): boolean => state === 'unknown' || state === 'review';

/** @throws CONFLICT */
function assertNotMoved(unit: UnitRow, { seenAttempt }: Resolution): void {
  if (seenAttempt === undefined || Math.max(unit.attempt, 1) === Math.max(seenAttempt, 1)) return;
  const moved = `unit ${unitName(unit)} has a newer attempt than the one you saw: look at it again`;
  throw new AppError('CONFLICT', moved);
}

const conflict = (unit: UnitRow): AppError =>
  new AppError('CONFLICT', `unit ${unitName(unit)} is ${unit.state}: only units in unknown or review can be resolved`);

function resolutionProblem({ reason, operator, outcome }: Resolution): string | null {
  const texts: [string, string, number][] = [
    ['reason', reason, 500],
    ['operator', operator, 128],
  ];
  if (outcome.kind === 'succeeded' && outcome.supplierReference !== null) {
    texts.push(['supplier’s reference', outcome.supplierReference, 255]);
  }
  for (const [member, text, maximum] of texts) {
    const problem = textProblem(text, 1, maximum);
    if (problem) return `the ${member} ${problem}`;
  }
  return null;
}

const toDetail = ({ outcome, item, unit }: Resolution): Record<string, unknown> => ({
  unit: unitName({ item, unit }),
  result: outcome.kind,
  code: outcome.kind === 'failed' ? outcome.code : null,
});
