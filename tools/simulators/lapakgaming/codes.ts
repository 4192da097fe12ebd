/** The status of an order, or of one of its transactions. */
export type Status = 'SUCCESS' | 'PENDING' | 'REFUNDED';

export const STATUSES: readonly Status[] = ['SUCCESS', 'PENDING', 'REFUNDED'];

/** The status codes of the vendor's list, which it does not explain. */
export const CODES = [
  'SUCCESS',
  'UNAUTHORIZED',
  'PRODUCT_NOT_FOUND',
  'PRODUCT_EMPTY',
  'PROVIDER_NOT_FOUND',
  'PRICE_NOT_MATCH',
  'PROVIDER_INACTIVE',
  'TID_NOT_FOUND',
  'USER_ID_CONTAIN_SPACE',
  'STOCK_NOT_FOUND',
  'USER_ID_EMPTY',
  'INSUFFICIENT_BALANCE',
  'SYSTEM_ERROR',
  'UNKNOWN_ERROR',
  'NOT_ALLOWED',
] as const;

/** A code of the list, or any other that a test wants. */
export type Code = (typeof CODES)[number] | (string & {});

/** The code of a call that was understood and done. For an order it means accepted, not delivered. */
export const SUCCESS: Code = 'SUCCESS';

const SYSTEM_ERRORS: readonly Code[] = ['SYSTEM_ERROR', 'UNKNOWN_ERROR'];

/** The HTTP status of a code: 200, 401 and 500 are documented, the status of all other refusals is a reading. */
export function httpStatusOf(code: Code, statuses: { refusal: number; systemError: number }): number {
  if (code === SUCCESS) return 200;
  if (code === 'UNAUTHORIZED') return 401;
  return SYSTEM_ERRORS.includes(code) ? statuses.systemError : statuses.refusal;
}
