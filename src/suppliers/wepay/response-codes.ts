import {
  refusedHere,
  ourFault,
  refusedEverywhere,
  toResponseCodes,
  UNKNOWN,
  type CodeMeaning,
} from '../adapter-answers.js';

/** The meaning of a code in the answer to the first send of a purchase. */
type WepayMeaning =
  | CodeMeaning
  /** The supplier already has the reference, so it may have sold the unit. */
  | { kind: 'repeated' };

/** The supplier's codes, as five digits. */
export const RESPONSE_CODES = toResponseCodes<WepayMeaning>({
  '00000': ['accepted', { kind: 'processing' }],
  '10001': ['internal error of the database', UNKNOWN],
  '10002': ['internal error, the transaction is not complete', UNKNOWN],
  '10003': ['too many requests', ourFault('rate')],
  '10004': ['internal error, the transaction could not be made', UNKNOWN],
  '20001': ['the username is not valid', ourFault('credentials')],
  '20003': ['the password is not valid', ourFault('credentials')],
  '20004': ['our account may not use the API', ourFault('credentials')],
  '20005': ['it does not allow our address', ourFault('credentials')],
  '30001': ['it does not know the company', refusedHere('ITEM_NOT_FOUND')],
  '30002': ['the transaction’s id is not valid', UNKNOWN],
  '30003': ['it does not find the transaction', UNKNOWN],
  '30004': ['the transaction is being processed', UNKNOWN],
  // Before an operator corrects the next two, no purchase can succeed. So their fault must pause the whole supplier.
  '30005': ['the callback address is not valid', ourFault('credentials')],
  '30006': ['the reference is not valid', ourFault('credentials')],
  '30007': ['the amount is not valid', { ...refusedHere('ITEM_NOT_FOUND'), isPriceRefused: true }],
  '30008': ['the company is not valid', refusedHere('ITEM_NOT_FOUND')],
  '30009': ['reference 1 is not valid', refusedEverywhere('INVALID_PLAYER')],
  '30010': ['reference 2 is not valid', refusedEverywhere('INVALID_SERVER')],
  '30011': ['reference 3 is not valid', refusedEverywhere('SUPPLIER_REJECTED')],
  '30012': ['reference 4 is not valid', refusedEverywhere('SUPPLIER_REJECTED')],
  '30013': ['the barcode is not valid', refusedEverywhere('SUPPLIER_REJECTED')],
  '30016': ['the reference is repeated', { kind: 'repeated' }],
  '30017': ['the company of the bill is another', refusedEverywhere('SUPPLIER_REJECTED')],
  '30018': ['the amount of the bill is another', refusedEverywhere('SUPPLIER_REJECTED')],
  '30019': ['our balance is too low', ourFault('deposit')],
  '30020': ['our account may not pay this company', ourFault('configuration')],
});

export const ACCEPTED = '00000';
/** Only in answers to inquiries: the transaction has not ended. */
export const IN_PROGRESS = '30004';
/** Only in answers to inquiries: there is no transaction with this id. */
export const NO_SUCH_TRANSACTION: ReadonlySet<string> = new Set(['30002', '30003']);
