import type { components } from './schema';

type OrderFailureCode = NonNullable<components['schemas']['OrderDetailDto']['failure_code']>;

/**
 * The failure codes of the merchant API, and whether a code is for units (and so their order) or for orders alone. The
 * types of the console's API contain the same list, so a missing or removed code does not compile.
 */
const SCOPES = {
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

/** All codes, because an order may fail with any of them. */
export const FAILURE_CODES = Object.keys(SCOPES) as readonly (keyof typeof SCOPES)[];

/** The codes with which a unit may fail. */
export type FailureCode = {
  [Code in keyof typeof SCOPES]: (typeof SCOPES)[Code] extends 'unit' ? Code : never;
}[keyof typeof SCOPES];
export const UNIT_FAILURE_CODES = FAILURE_CODES.filter((code): code is FailureCode => SCOPES[code] === 'unit');
