import { notFound } from '../../core/errors.js';
import type { UnitKey } from '../../orders/order.rows.js';
import { PathParameter, PathText } from '../access/parameters.js';

export type Unit = Pick<UnitKey, 'item' | 'unit'>;

/** @param name such as `1.2`. @throws NOT_FOUND for any other text. */
export function readUnit(name: string): Unit {
  const [, item, unit] = /^([1-9]\d{0,2})\.([1-9]\d{0,2})$/.exec(name) ?? [];
  if (item === undefined || unit === undefined) throw notFound('unit');
  return { item: Number(item), unit: Number(unit) };
}

/** The unit in the path. @throws NOT_FOUND */
export const UnitName = (): ParameterDecorator => PathParameter('unit', 'string', '1.2', readUnit);

/** The order in the path, by its number. @throws NOT_FOUND */
export const OrderNumber = (): ParameterDecorator =>
  PathText('number', 'order', 'ord_Np3O7rcsqNmBTwD7', (text) => /^[\w-]{1,64}$/.test(text));
