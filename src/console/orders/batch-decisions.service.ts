import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { formatBaht } from '../../core/money.js';
import { unitName } from '../../orders/order.rows.js';
import { BatchResolutionService, isOpen, type AskedUnit } from '../../support/batch-resolution.service.js';
import type { StandingUnit } from '../../support/review.repository.js';
import type { Caller } from '../access/caller.js';
import type {
  BatchPreviewDto,
  BatchResolvedDto,
  ChosenUnitDto,
  MerchantShareDto,
  NamedUnitDto,
  NamedUnitsDto,
  ResolveManyDto,
  UndecidedUnitDto,
} from './batch-decision.dto.js';
import { readUnit } from './unit-name.js';
import { toOutcome } from './verdict.js';

/** One decision about several units. */
@Injectable()
export class BatchDecisionsService {
  constructor(
    private readonly batch: BatchResolutionService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** What deciding about these units would move. @throws NOT_FOUND; BAD_REQUEST */
  async preview({ units: named }: NamedUnitsDto): Promise<BatchPreviewDto> {
    const units = await this.batch.standing(named.map(toQueried));
    const open = units.filter(isOpen);
    const orders = groupsOf(open, 'order_number');
    return {
      units: open.length,
      amount: formatBaht(sumOf(open)),
      merchants: groupsOf(open, 'merchant_id').map(toShare),
      orders: orders.length,
      ending: orders.filter((ofOrder) => ofOrder[0]?.open_units === ofOrder.length).length,
      left: units.filter((unit) => !isOpen(unit)).map(toUndecided),
    };
  }

  /**
   * Confirmed again where the units together cost more than CONSOLE_CONFIRM_ABOVE.
   * @throws NOT_FOUND; BAD_REQUEST; FORBIDDEN
   */
  async resolve(caller: Caller, { units: named, reason, ...verdict }: ResolveManyDto): Promise<BatchResolvedDto> {
    const outcome = toOutcome(verdict);
    const units = await this.batch.standing(named.map(toQueried));
    if (sumOf(units) > this.config.console.confirmAbove) caller.assertConfirmed();
    const { resolved, left } = await this.batch.resolve(units, outcome, caller.actor(), reason);
    return {
      resolved: resolved.map(toNamed),
      amount: formatBaht(sumOf(resolved)),
      left: left.map(toUndecided),
    };
  }
}

const toQueried = ({ order_number, unit, supplier }: ChosenUnitDto): AskedUnit => ({
  order_number,
  supplier: supplier ?? null,
  ...readUnit(unit),
});

const sumOf = (units: readonly StandingUnit[]): bigint => units.reduce((sum, { unit_price: price }) => sum + price, 0n);

function groupsOf(units: readonly StandingUnit[], member: 'order_number' | 'merchant_id'): StandingUnit[][] {
  const groups = new Map<string | number, StandingUnit[]>();
  for (const unit of units) groups.set(unit[member], [...(groups.get(unit[member]) ?? []), unit]);
  return [...groups.values()];
}

const toNamed = (unit: StandingUnit): NamedUnitDto => ({
  order_number: unit.order_number,
  unit: unitName(unit),
});

const toUndecided = (unit: StandingUnit): UndecidedUnitDto => ({
  ...toNamed(unit),
  state: unit.state,
  supplier: unit.supplier,
  decided_by: unit.decided_by,
});

const toShare = (units: StandingUnit[]): MerchantShareDto => ({
  id: units[0]?.merchant_id ?? 0,
  name: units[0]?.merchant_name ?? '',
  units: units.length,
  amount: formatBaht(sumOf(units)),
});
