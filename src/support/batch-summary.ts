import { groupBy } from '../core/groups.js';
import type { Satang } from '../core/money.js';
import { isOpen } from './batch-resolution.service.js';
import type { UnitStatus } from './review.repository.js';

/** What a decision about several units would settle. */
interface BatchSummary {
  units: number;
  amount: Satang;
  merchants: { id: number; name: string; units: number; amount: Satang }[];
  orders: number;
  /** How many of the orders the decision ends. */
  ending: number;
  /** The units that the decision can't settle. */
  left: UnitStatus[];
}

export function summaryOf(units: readonly UnitStatus[]): BatchSummary {
  const open = units.filter(isOpen);
  const orders = [...groupBy(open, ({ order_number: number }) => number).values()];
  const merchants = groupBy(open, ({ merchant_id: id }) => id);
  return {
    units: open.length,
    amount: sumOf(open),
    merchants: [...merchants.values()].map((own) => ({
      id: own[0].merchant_id,
      name: own[0].merchant_name,
      units: own.length,
      amount: sumOf(own),
    })),
    orders: orders.length,
    ending: orders.filter((ofOrder) => ofOrder[0].open_units === ofOrder.length).length,
    left: units.filter((unit) => !isOpen(unit)),
  };
}

/** The sum of the units' prices. */
export const sumOf = (units: readonly UnitStatus[]): Satang => units.reduce((sum, unit) => sum + unit.unit_price, 0n);
