/** What a unit may fail with: the closed list of the merchant API. */
export const UNIT_FAILURE_CODES = [
  'INVALID_PLAYER',
  'INVALID_SERVER',
  'PLAYER_NOT_ELIGIBLE',
  'LIMIT_EXCEEDED',
  'OUT_OF_STOCK',
  'ITEM_NOT_FOUND',
  'PRODUCT_UNAVAILABLE',
  'SUPPLIER_REJECTED',
  'SUPPLIER_UNAVAILABLE',
] as const;
export type FailureCode = (typeof UNIT_FAILURE_CODES)[number];

/** What an order may have failed with. */
export const FAILURE_CODES = [...UNIT_FAILURE_CODES, 'CANCELLED_BY_OPERATOR', 'PARTIALLY_COMPLETED'] as const;
