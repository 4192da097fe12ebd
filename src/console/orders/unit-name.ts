import { notFound } from '../../core/errors.js';
import type { UnitKey } from '../../orders/order.rows.js';
import { PathParameter } from '../access/path-ids.js';

export type Unit = Pick<UnitKey, 'item' | 'unit'>;

/** @param name such as `1.2`. @throws NOT_FOUND for any other text. */
export function readUnit(name: string): Unit {
  const [, item, unit] = /^([1-9]\d{0,2})\.([1-9]\d{0,2})$/.exec(name) ?? [];
  if (item === undefined || unit === undefined) throw notFound('unit');
  return { item: Number(item), unit: Number(unit) };
}

/** The unit in the path. @throws NOT_FOUND */
export const UnitName = (): ParameterDecorator =>
  PathParameter('unit', { type: 'string' }, '1.2', { transform: readUnit });

/** The order in the path, by its number. @throws NOT_FOUND */
export const OrderNumber = (): ParameterDecorator =>
  PathParameter('number', { type: 'string' }, 'ord_Np3O7rcsqNmBTwD7', {
    transform: (text: string) => {
      if (!/^[\w-]{1,64}$/.test(text)) throw notFound('order');
      return text;
    },
  });
