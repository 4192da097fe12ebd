import { pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import { unitName } from '../../orders/order.rows.js';
import type { UnitStatus } from '../../support/batch-resolution.service.js';
import type { LeftUnit } from '../../support/order-problems.js';
import type { MerchantShareDto, NamedUnitDto, UndecidedUnitDto } from './batch-decision.dto.js';
import type { LeftUnitDto } from './decision.dto.js';

const WHY: Record<LeftUnit['state'], string> = {
  queued: 'a call to its supplier ended just now: try again',
  sending: 'a call to its supplier is in flight',
  unknown: 'it is in doubt: its supplier may have sold it',
  review: 'it is in doubt, and waits for a resolution',
  succeeded: 'it has succeeded',
  failed: 'it has failed already',
};

export const toLeftUnitDto = (unit: LeftUnit): LeftUnitDto => ({
  unit: unitName(unit),
  state: unit.state,
  why: WHY[unit.state],
});

export const toNamedUnitDto = (unit: UnitStatus): NamedUnitDto => ({
  order_number: unit.order_number,
  unit: unitName(unit),
});

export const toUndecidedUnitDto = (unit: UnitStatus): UndecidedUnitDto => ({
  ...toNamedUnitDto(unit),
  ...pick(unit, 'state', 'supplier', 'decided_by'),
});

/** @param units the chosen units of one merchant. */
export const toMerchantShareDto = (units: UnitStatus[]): MerchantShareDto => ({
  id: units[0]?.merchant_id ?? 0,
  name: units[0]?.merchant_name ?? '',
  units: units.length,
  amount: formatBaht(sumOf(units)),
});

/** The sum of the units' prices, in satang. */
export const sumOf = (units: readonly UnitStatus[]): bigint => units.reduce((sum, unit) => sum + unit.unit_price, 0n);

export function groupsOf(units: readonly UnitStatus[], member: 'order_number' | 'merchant_id'): UnitStatus[][] {
  const groups = new Map<string | number, UnitStatus[]>();
  for (const unit of units) groups.set(unit[member], [...(groups.get(unit[member]) ?? []), unit]);
  return [...groups.values()];
}
