import type { components } from './schema';

type OrderFailureCode = NonNullable<components['schemas']['OrderDetailDto']['failure_code']>;

/**
 * The closed list of the merchant API, and what each code may be of: a unit and so its order, or an order alone. The document
 * of the console's API decides which there are: one that is missing here, or is no more, does not compile.
 */
const OF = {
  INVALID_PLAYER: 'unit',
  INVALID_SERVER: 'unit',
  PLAYER_NOT_ELIGIBLE: 'unit',
  LIMIT_EXCEEDED: 'unit',
  OUT_OF_STOCK: 'unit',
  ITEM_NOT_FOUND: 'unit',
  PRODUCT_UNAVAILABLE: 'unit',
  SUPPLIER_REJECTED: 'unit',
  SUPPLIER_UNAVAILABLE: 'unit',
  CANCELLED_BY_OPERATOR: 'order',
  PARTIALLY_COMPLETED: 'order',
} as const satisfies Record<OrderFailureCode, 'unit' | 'order'>;

/** What an order may have failed with. */
export const FAILURE_CODES = Object.keys(OF) as readonly (keyof typeof OF)[];

/** What a unit may fail with. */
export type FailureCode = {
  [Code in keyof typeof OF]: (typeof OF)[Code] extends 'unit' ? Code : never;
}[keyof typeof OF];
export const UNIT_FAILURE_CODES = FAILURE_CODES.filter((code): code is FailureCode => OF[code] === 'unit');
