import { invalidValue } from '../../core/errors.js';
import { failure } from '../../core/failures.js';
import { pick } from '../../core/members.js';
import { unitName } from '../../orders/order.rows.js';
import type { DefiniteOutcome } from '../../suppliers/supplier-outcome.js';
import type { ChosenUnit, UnitStatus } from '../../support/batch-resolution.service.js';
import type { UncancelledUnit } from '../../support/order-problems.js';
import type {
  CancelDto,
  ChosenUnitDto,
  LeftUnitDto,
  NamedUnitDto,
  ResolveDto,
  UndecidedUnitDto,
} from './decision.dto.js';
import { readUnit, type Unit } from './unit-name.js';

export const toChosenUnit = ({ order_number, unit, supplier, attempt }: ChosenUnitDto): ChosenUnit => ({
  order_number,
  supplier: supplier ?? null,
  attempt: attempt ?? null,
  ...readUnit(unit),
});

/** Undefined if the cancellation names no unit. @throws NOT_FOUND */
export function toNamedUnits({ unit, units = [] }: Pick<CancelDto, 'unit' | 'units'>): Unit[] | undefined {
  const names = unit === undefined ? units : [...units, unit];
  return names.length === 0 ? undefined : names.map(readUnit);
}

/** @throws BAD_REQUEST if a member does not fit the decision, or a failed unit has no failure_code. */
export function toOutcome({
  succeeded,
  supplier_reference: reference,
  failure_code: code,
}: Omit<ResolveDto, 'reason' | 'attempt'>): DefiniteOutcome {
  const refuse = (field: string, words: string): never => {
    throw invalidValue(field, `${field} ${words}`);
  };
  if (succeeded) {
    if (code !== undefined) refuse('failure_code', 'goes with a unit that failed');
    return { kind: 'succeeded', supplierReference: reference ?? null };
  }
  if (reference !== undefined) refuse('supplier_reference', 'goes with a unit that succeeded');
  return { kind: 'failed', ...failure(code ?? refuse('failure_code', 'is needed for a unit that failed')) };
}

const WHY_NOT_CANCELLED: Record<UncancelledUnit['state'], string> = {
  queued: 'it could not be cancelled just now: try again',
  sending: 'a call to its supplier is in flight',
  unknown: 'it is in doubt: its supplier may have sold it',
  review: 'it is in doubt, and waits for a decision',
  succeeded: 'it has succeeded',
  failed: 'it has failed already',
};

export const toLeftUnitDto = (unit: UncancelledUnit): LeftUnitDto => ({
  unit: unitName(unit),
  state: unit.state,
  why:
    unit.state === 'queued' && unit.soldBy !== undefined
      ? `discrepancy ${unit.soldBy} reports that a supplier sold it: it goes to review`
      : WHY_NOT_CANCELLED[unit.state],
});

export const toNamedUnitDto = (unit: UnitStatus): NamedUnitDto => ({
  order_number: unit.order_number,
  unit: unitName(unit),
});

export const toUndecidedUnitDto = (unit: UnitStatus): UndecidedUnitDto => ({
  ...toNamedUnitDto(unit),
  ...pick(unit, 'state', 'supplier', 'attempt', 'decided_by'),
});
