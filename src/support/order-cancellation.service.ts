import { Inject, Injectable } from '@nestjs/common';
import { assertActor, recordAction, type Actor } from '../audit-log/audit-log.js';
import { LOGGER } from '../core/core.module.js';
import { failure } from '../core/failures.js';
import type { Logger } from '../core/logger.js';
import { withoutUndefined } from '../core/members.js';
import type { Transaction } from '../database/database.js';
import { unitName, type OrderRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { OrderSettlementService, type SettleUnit } from '../orders/order-settlement.service.js';
import { NothingCancelled, noSuchUnit, type UncancelledUnit } from './order-problems.js';
import { OrderSupportRepository } from './order-support.repository.js';

interface Cancellation {
  order: Pick<OrderRow, 'id' | 'merchant_id' | 'order_number'>;
  /** The units to cancel; absent for all units of the order. */
  units?: Pick<UnitKey, 'item' | 'unit'>[] | undefined;
  by: Actor;
}

/** Fails units that certainly bought nothing, on an operator's decision. */
@Injectable()
export class OrderCancellationService {
  constructor(
    private readonly orders: OrderSupportRepository,
    private readonly settlement: OrderSettlementService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Fails units that were never sent or never accepted. This has the effects of a supplier's refusal: the last unit ends the
   * order, and the merchant gets the price back. While an open discrepancy reports that an earlier attempt bought a unit, the unit
   * stays as it is. If a worker claims a unit at the same moment, only one of the two succeeds.
   * @returns the cancelled units, and the units that stay as they are.
   * @throws BAD_REQUEST; NOT_FOUND; NothingCancelled.
   */
  async cancel(cancellation: Cancellation): Promise<{ cancelled: UnitRow[]; uncancelled: UncancelledUnit[] }> {
    const chosen = await this.unitsOf(cancellation);
    const commands = chosen.filter(({ state }) => state === 'queued').map(toCommand(cancellation));
    const ended = await Promise.allSettled(commands.map((command) => this.settlement.settle(command)));
    const isSettled = (each: (typeof ended)[number] | undefined): boolean =>
      each?.status === 'fulfilled' && each.value === 'settled';
    const cancelled = new Set(
      commands.filter((_each, index) => isSettled(ended[index])).map(({ key }) => unitName(key)),
    );
    const failed = ended.find((each) => each.status === 'rejected');
    // If other units were cancelled, the operator must see them: the failed ones are among the units that stay.
    if (failed && cancelled.size === 0) throw failed.reason;
    if (failed) this.logger.warn({ err: failed.reason as unknown }, 'a unit of an order was not cancelled');
    const uncancelled = cancelled.size === chosen.length ? [] : await this.listUncancelled(cancellation, cancelled);
    if (cancelled.size === 0) throw new NothingCancelled(cancellation.order.order_number, uncancelled);
    return { cancelled: chosen.filter((unit) => cancelled.has(unitName(unit))), uncancelled };
  }

  /** @param cancelled the names of the cancelled units. */
  private async listUncancelled(cancellation: Cancellation, cancelled: Set<string>): Promise<UncancelledUnit[]> {
    const now = await this.unitsOf(cancellation);
    const sales = await this.orders.listLateSales(cancellation.order.id);
    const soldBy = new Map(sales.map(({ id, item, unit }) => [`${item}.${unit}`, id]));
    return now
      .filter((unit) => !cancelled.has(unitName(unit)))
      .map((unit) => ({ ...unit, ...withoutUndefined({ soldBy: soldBy.get(unitName(unit)) }) }));
  }

  private async unitsOf({ order, units: chosen }: Cancellation): Promise<UnitRow[]> {
    const units = await this.orders.listUnits(order.id);
    if (!chosen) return units;
    const known = new Set(units.map(unitName));
    const missing = chosen.find((unit) => !known.has(unitName(unit)));
    if (missing) throw noSuchUnit(missing, units);
    const names = new Set(chosen.map(unitName));
    return units.filter((unit) => names.has(unitName(unit)));
  }
}

/** Units that one transaction settles share one entry in the audit log. */
function toCommand({ order, by }: Cancellation): (unit: UnitRow) => SettleUnit {
  const failed = failure('CANCELLED_BY_OPERATOR');
  // Refuses an invalid operator or reason before any unit is settled.
  assertActor(by);
  const alsoWrite = (tx: Transaction, settled: SettleUnit[]): void =>
    recordAction(tx, by, {
      action: 'order.cancel',
      merchantId: order.merchant_id,
      orderId: order.id,
      detail: { units: settled.map(({ key }) => unitName(key)), result: 'failed', code: failed.code },
    });
  return ({ item, unit }) => ({
    key: { orderId: order.id, item, unit },
    merchantId: order.merchant_id,
    outcome: { kind: 'failed', ...failed },
    by: { kind: 'cancellation' },
    alsoWrite,
  });
}
