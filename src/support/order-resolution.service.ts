import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { textProblem } from '../core/text.js';
import { Database } from '../database/database.js';
import { recordAction } from '../audit-log/audit-log.js';
import { unitName, type OrderRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { OrderSettlement } from '../orders/order-settlement.js';
import type { DefiniteOutcome } from '../suppliers/supplier-outcome.js';
import { OrderSupportRepository } from './order-support.repository.js';

export interface Resolution {
  order: Pick<OrderRow, 'id' | 'merchant_id'>;
  item: number;
  unit: number;
  /** What the operator found out about the unit, which its supplier left open. */
  outcome: DefiniteOutcome;
  /** 1 to 500 characters, for the record. */
  reason: string;
  operator: string;
}

/** Settles units in doubt by the operator's decision. */
@Injectable()
export class OrderResolution {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportRepository,
    private readonly settlement: OrderSettlement,
  ) {}

  /**
   * Settles a unit as the supplier's own answer would have: with the last one the order ends, and money moves.
   * @throws BAD_REQUEST; NOT_FOUND; CONFLICT unless the unit is in unknown or review.
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
    const settled = await this.settlement.settle({
      key,
      merchantId: order.merchant_id,
      outcome: resolution.outcome,
      attempt: null,
      claim: null,
      calls: [],
      alongside: (tx) => recordAction(tx, resolution, action),
    });
    if (settled !== 'settled') throw await this.conflict(key);
  }

  private async conflict(key: UnitKey): Promise<AppError> {
    const units = await this.database.transaction((tx) => this.orders.listUnits(tx, key.orderId));
    const unit = units.find(({ item, unit }) => item === key.item && unit === key.unit);
    if (unit) {
      const message = `unit ${unitName(key)} is ${unit.state}: only units in unknown or review can be resolved`;
      return new AppError('CONFLICT', message);
    }
    return noSuchUnit(key, units);
  }
}

/** @param units those that the order has. */
export function noSuchUnit(asked: Pick<UnitKey, 'item' | 'unit'>, units: UnitRow[]): AppError {
  const names = units.map(unitName);
  const known = names.length > 20 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
  return new AppError('NOT_FOUND', `the order has no unit ${unitName(asked)}: it has ${known}`);
}

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
