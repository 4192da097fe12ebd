import { elsewhere, faulty, nowhere, UNKNOWN, type CodeMeaning, type CodeRows } from '../code-meaning.js';

/** What a code says of a purchase, by the answer to its first send. */
type WepayMeaning =
  | CodeMeaning
  /** Something goes by the reference already, and may have been bought. */
  | { kind: 'repeated' };

interface ResponseCode {
  words: string;
  meaning: WepayMeaning;
}

const ROWS: CodeRows<WepayMeaning> = {
  '00000': ['accepted', { kind: 'processing' }],
  '10001': ['internal error of the database', UNKNOWN],
  '10002': ['internal error, the transaction is not complete', UNKNOWN],
  '10003': ['too many requests', faulty('rate')],
  '10004': ['internal error, the transaction could not be made', UNKNOWN],
  '20001': ['the username is not valid', faulty('credentials')],
  '20003': ['the password is not valid', faulty('credentials')],
  '20004': ['our account may not use the API', faulty('credentials')],
  '20005': ['it does not allow our address', faulty('credentials')],
  '30001': ['it does not know the company', elsewhere('ITEM_NOT_FOUND')],
  '30002': ['the transaction’s id is not valid', UNKNOWN],
  '30003': ['it does not find the transaction', UNKNOWN],
  '30004': ['the transaction is being processed', UNKNOWN],
  // Of no use to any purchase until it is put right, so that the whole supplier has to wait.
  '30005': ['the callback address is not valid', faulty('credentials')],
  '30006': ['the reference is not valid', faulty('credentials')],
  '30007': ['the amount is not valid', { ...elsewhere('ITEM_NOT_FOUND'), isPriceRefused: true }],
  '30008': ['the company is not valid', elsewhere('ITEM_NOT_FOUND')],
  '30009': ['reference 1 is not valid', nowhere('INVALID_PLAYER')],
  '30010': ['reference 2 is not valid', nowhere('INVALID_SERVER')],
  '30011': ['reference 3 is not valid', nowhere('SUPPLIER_REJECTED')],
  '30012': ['reference 4 is not valid', nowhere('SUPPLIER_REJECTED')],
  '30013': ['the barcode is not valid', nowhere('SUPPLIER_REJECTED')],
  '30016': ['the reference is repeated', { kind: 'repeated' }],
  '30017': ['the company of the bill is another', nowhere('SUPPLIER_REJECTED')],
  '30018': ['the amount of the bill is another', nowhere('SUPPLIER_REJECTED')],
  '30019': ['our balance is too low', faulty('deposit')],
  '30020': ['our account may not pay this company', faulty('configuration')],
};

/** The vendor's codes, by their five digits. */
export const RESPONSE_CODES: ReadonlyMap<string, ResponseCode> = new Map(
  Object.entries(ROWS).map(([code, [words, meaning]]) => [code, { words, meaning }]),
);

export const ACCEPTED = '00000';
/** Of an inquiry only. */
export const IN_PROGRESS = '30004';
/** Of an inquiry only: there is no transaction of the id that was asked about. */
export const NO_SUCH_TRANSACTION: ReadonlySet<string> = new Set(['30002', '30003']);
