import { AppError } from '../core/errors.js';
import { unitName, type OrderRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';

/** CONFLICT, because orders of several merchants have the reference. */
export class AmbiguousReference extends AppError {
  constructor(
    reference: string,
    readonly candidates: Pick<OrderRow, 'order_number' | 'merchant_id'>[],
  ) {
    super('CONFLICT', `several merchants have an order with the reference ${reference}`);
  }
}

/** A unit that was not cancelled, with its current state. */
export type UncancelledUnit = Pick<UnitRow, 'item' | 'unit' | 'state' | 'failure_code'> & {
  /** The open discrepancy which reports that an earlier attempt bought the unit. */
  soldBy?: number;
};

/** CONFLICT, because no unit could be cancelled. */
export class NothingCancelled extends AppError {
  constructor(
    orderNumber: string,
    readonly uncancelled: UncancelledUnit[],
  ) {
    const sold = uncancelled.flatMap(({ soldBy }) => soldBy ?? []);
    super(
      'CONFLICT',
      [`nothing of ${orderNumber} was cancelled`, ...sold.map((id) => `see discrepancy ${id}`)].join(', '),
    );
  }
}

/** Returns a NOT_FOUND that names the units of the order. @param units all units of the order. */
export function noSuchUnit(chosen: Pick<UnitKey, 'item' | 'unit'>, units: UnitRow[]): AppError {
  const names = units.map(unitName);
  const known = names.length > 20 ? `${names[0]} to ${names.at(-1)}` : names.join(', ');
  return new AppError('NOT_FOUND', `the order has no unit ${unitName(chosen)}: it has ${known}`);
}
