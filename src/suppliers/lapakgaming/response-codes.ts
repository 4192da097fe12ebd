import type { UnitFailureCode } from '../../core/failures.js';
import type { Fault } from '../supplier-outcome.js';

/** What a code says of the first send of an order. */
export type CodeMeaning =
  /** Accepted, which is not delivered. */
  | { kind: 'processing' }
  | {
      kind: 'failed';
      code: UnitFailureCode;
      /** Whether another supplier may well sell it. */
      failover: boolean;
      /** The price that we gave is no longer the vendor's. */
      ofPrice?: true;
    }
  /** Nothing was ordered, and nothing will be until this is put right. */
  | { kind: 'not_accepted'; fault: Fault }
  | { kind: 'unknown' };

export interface ResponseCode {
  words: string;
  meaning: CodeMeaning;
}

const elsewhere = (code: UnitFailureCode): CodeMeaning => ({ kind: 'failed', code, failover: true });
const nowhere = (code: UnitFailureCode): CodeMeaning => ({ kind: 'failed', code, failover: false });
const fault = (kind: Fault): CodeMeaning => ({ kind: 'not_accepted', fault: kind });
const UNKNOWN: CodeMeaning = { kind: 'unknown' };

const ROWS: Record<string, readonly [words: string, meaning: CodeMeaning]> = {
  SUCCESS: ['accepted', { kind: 'processing' }],
  UNAUTHORIZED: ['it does not accept our key or our address', fault('credentials')],
  PRODUCT_NOT_FOUND: ['it does not know the product', elsewhere('ITEM_NOT_FOUND')],
  PROVIDER_NOT_FOUND: ['it does not know the provider of the product', elsewhere('ITEM_NOT_FOUND')],
  PRODUCT_EMPTY: ['the product is sold out', elsewhere('OUT_OF_STOCK')],
  STOCK_NOT_FOUND: ['there is no stock', elsewhere('OUT_OF_STOCK')],
  PROVIDER_INACTIVE: ['the provider of the product is switched off', elsewhere('PRODUCT_UNAVAILABLE')],
  PRICE_NOT_MATCH: [
    'not available at the expected price',
    { kind: 'failed', code: 'PRODUCT_UNAVAILABLE', failover: true, ofPrice: true },
  ],
  USER_ID_EMPTY: ['the player is missing', nowhere('INVALID_PLAYER')],
  USER_ID_CONTAIN_SPACE: ['the player has a space in it', nowhere('INVALID_PLAYER')],
  INSUFFICIENT_BALANCE: ['our balance is too low', fault('deposit')],
  NOT_ALLOWED: ['we may not order this product', fault('configuration')],
  // Of look-ups only.
  TID_NOT_FOUND: ['it does not know the order', UNKNOWN],
  SYSTEM_ERROR: ['it has an error', UNKNOWN],
  UNKNOWN_ERROR: ['it has an error that it does not know', UNKNOWN],
};

/** The vendor's codes. It explains none of them; one that is not here is unknown. */
export const RESPONSE_CODES: ReadonlyMap<string, ResponseCode> = new Map(
  Object.entries(ROWS).map(([code, [words, meaning]]) => [code, { words, meaning }]),
);
