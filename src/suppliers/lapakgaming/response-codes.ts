import {
  refusedHere,
  ourFault,
  refusedEverywhere,
  toResponseCodes,
  UNKNOWN,
  type CodeMeaning,
} from '../adapter-answers.js';

/** The supplier's response codes. The labels are ours, because the supplier does not explain them. Other codes mean `unknown`. */
export const RESPONSE_CODES = toResponseCodes<CodeMeaning>({
  SUCCESS: ['accepted', { kind: 'processing' }],
  UNAUTHORIZED: ['it does not accept our key or our address', ourFault('credentials')],
  PRODUCT_NOT_FOUND: ['it does not know the product', refusedHere('ITEM_NOT_FOUND')],
  PROVIDER_NOT_FOUND: ['it does not know the provider of the product', refusedHere('ITEM_NOT_FOUND')],
  PRODUCT_EMPTY: ['the product is sold out', refusedHere('OUT_OF_STOCK')],
  STOCK_NOT_FOUND: ['there is no stock', refusedHere('OUT_OF_STOCK')],
  PROVIDER_INACTIVE: ['the provider of the product is switched off', refusedHere('PRODUCT_UNAVAILABLE')],
  PRICE_NOT_MATCH: [
    'not available at the expected price',
    { ...refusedHere('PRODUCT_UNAVAILABLE'), isPriceRefused: true },
  ],
  USER_ID_EMPTY: ['the player is missing', refusedEverywhere('INVALID_PLAYER')],
  USER_ID_CONTAIN_SPACE: ['the player has a space in it', refusedEverywhere('INVALID_PLAYER')],
  INSUFFICIENT_BALANCE: ['our balance is too low', ourFault('deposit')],
  NOT_ALLOWED: ['we may not order this product', ourFault('configuration')],
  // Expected only in an answer to an inquiry. `readOrderStatus` decides what it means there.
  TID_NOT_FOUND: ['it does not know the order', UNKNOWN],
  SYSTEM_ERROR: ['it has an error', UNKNOWN],
  UNKNOWN_ERROR: ['it reports an unknown error', UNKNOWN],
});
