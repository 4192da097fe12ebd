import { storable } from './text.js';

/** All codes for failed items and orders, each with the message for merchants if the supplier sent none. */
export const FAILURE_MESSAGES = {
  INVALID_PLAYER: 'The player does not exist',
  INVALID_SERVER: 'The game server does not exist, or does not fit the player',
  PLAYER_NOT_ELIGIBLE: 'The player may not receive this product',
  LIMIT_EXCEEDED: 'A purchase limit of the player or the product was reached',
  OUT_OF_STOCK: 'The product is out of stock',
  ITEM_NOT_FOUND: 'The supplier does not know the product',
  PRODUCT_UNAVAILABLE: 'The product is not available at present',
  SUPPLIER_REJECTED: 'The supplier refused the top-up',
  SUPPLIER_UNAVAILABLE: 'The supplier could not be reached; nothing was bought',
  CANCELLED_BY_OPERATOR: 'The operator cancelled the top-up',
  PARTIALLY_COMPLETED: 'Some units succeeded and some failed',
} as const;

export type FailureCode = keyof typeof FAILURE_MESSAGES;
export const FAILURE_CODES = Object.keys(FAILURE_MESSAGES) as FailureCode[];
/** The codes of a single unit or item, which can't be partially completed. */
export type UnitFailureCode = Exclude<FailureCode, 'PARTIALLY_COMPLETED'>;

export interface Failure {
  code: UnitFailureCode;
  message: string;
}

const MAX_MESSAGE_LENGTH = 500;

export function isUnitFailureCode(code: unknown): code is UnitFailureCode {
  return typeof code === 'string' && Object.hasOwn(FAILURE_MESSAGES, code) && code !== 'PARTIALLY_COMPLETED';
}

export const UNIT_FAILURE_CODES = FAILURE_CODES.filter(isUnitFailureCode);

/** Makes a failure whose message can be stored and shown. @param message the supplier's message, of any type or absent. */
export function failure(code: UnitFailureCode, message?: unknown): Failure {
  const text = typeof message === 'string' ? storable(message, MAX_MESSAGE_LENGTH) : '';
  return { code, message: text === '' ? FAILURE_MESSAGES[code] : text };
}

/** Codes, the most helpful one for a merchant first. A code that is not in the list counts as the least helpful. */
const BY_USEFULNESS: readonly UnitFailureCode[] = [
  ...(['INVALID_PLAYER', 'INVALID_SERVER', 'PLAYER_NOT_ELIGIBLE', 'LIMIT_EXCEEDED'] as const),
  ...(['OUT_OF_STOCK', 'PRODUCT_UNAVAILABLE', 'ITEM_NOT_FOUND'] as const),
  ...(['SUPPLIER_REJECTED', 'SUPPLIER_UNAVAILABLE'] as const),
];

/** Chooses a unit's failure among the failures of its attempts: the most helpful one, and among equals the latest. */
export function mostHelpful(failures: readonly [...Failure[], Failure]): Failure {
  const rank = ({ code }: Failure): number => {
    const at = BY_USEFULNESS.indexOf(code);
    return at === -1 ? BY_USEFULNESS.length : at;
  };
  return failures.reduce((best, each) => (rank(each) <= rank(best) ? each : best));
}
