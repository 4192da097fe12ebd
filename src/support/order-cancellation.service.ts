import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../database/database.js';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { failure } from '../core/failures.js';
import { unitName, type OrderRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { OrderSettlementService, type SettleUnit } from '../orders/order-settlement.service.js';
import { NothingCancelled, type LeftUnit } from './order-problems.js';
import { noSuchUnit } from './order-resolution.service.js';
import { OrderSupportRepository } from './order-support.repository.js';

export interface Cancellation {
  order: Pick<OrderRow, 'id' | 'merchant_id' | 'order_number'>;
  /** The only unit that is meant, if not all are. */
  unit?: Pick<UnitKey, 'item' | 'unit'>;
  by: Actor;
}

/** Fails, by the operator's will, units of which it is certain that nothing was bought. */
@Injectable()
export class OrderCancellationService {
  constructor(
    private readonly database: Database,
    private readonly orders: OrderSupportRepository,
    private readonly settlement: OrderSettlementService,
  ) {}

  /**
   * Fails what was never sent or never accepted as a supplier's refusal would: with the last unit the order ends, and
   * its price is returned. Workers may claim units at the same moment: each is either theirs or cancelled.
   * @returns the units that were cancelled, and those that were left as they are.
   * @throws BAD_REQUEST; NOT_FOUND; NothingCancelled.
   */
  async cancel(cancellation: Cancellation): Promise<{ cancelled: UnitRow[]; left: LeftUnit[] }> {
    const asked = await this.unitsOf(cancellation);
    const commands = asked.filter(({ state }) => state === 'queued').map(toCommand(cancellation));
    const settled = await Promise.all(commands.map((command) => this.settlement.settle(command)));
    const cancelled = new Set(
      commands.filter((_each, index) => settled[index] === 'settled').map(({ key }) => unitName(key)),
    );
    const now = cancelled.size === asked.length ? [] : await this.unitsOf(cancellation);
    const left = now.filter((unit) => !cancelled.has(unitName(unit)));
    if (cancelled.size === 0) throw new NothingCancelled(cancellation.order.order_number, left);
    return { cancelled: asked.filter((unit) => cancelled.has(unitName(unit))), left };
  }

  /** The units that are meant, as they stand. */
  private async unitsOf({ order, unit: asked }: Cancellation): Promise<UnitRow[]> {
    const units = await this.database.transaction((tx) => this.orders.listUnits(tx, order.id));
    if (!asked) return units;
    const found = units.filter(({ item, unit }) => item === asked.item && unit === asked.unit);
    if (found.length === 0) throw noSuchUnit(asked, units);
    return found;
  }
}

/** The units that one transaction settles share one entry of the operator's log. */
function toCommand({ order, by }: Cancellation): (unit: UnitRow) => SettleUnit {
  const reason = failure('CANCELLED_BY_OPERATOR');
  // A reason that can't be kept is refused before anything is done.
  assertActor(by);
  const alsoWrite = (tx: Transaction, settled: SettleUnit[]): void =>
    recordAction(tx, by, {
      action: 'order.cancel',
      merchantId: order.merchant_id,
      orderId: order.id,
      detail: { units: settled.map(({ key }) => unitName(key)), result: 'failed', code: reason.code },
    });
  return ({ item, unit }) => ({
    key: { orderId: order.id, item, unit },
    merchantId: order.merchant_id,
    outcome: { kind: 'failed', ...reason },
    by: { kind: 'cancellation' },
    alsoWrite,
  });
}
