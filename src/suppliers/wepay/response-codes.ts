import type { UnitFailureCode } from '../../core/failures.js';
import type { Fault } from '../supplier-outcome.js';

/** What a code says of a purchase, by the answer to its first send. */
export type CodeMeaning =
  | { kind: 'accepted' }
  /** Something goes by the reference already, and may have been bought. */
  | { kind: 'repeated' }
  | {
      kind: 'failed';
      code: UnitFailureCode;
      /** Whether another supplier may well sell it. */
      failover: boolean;
      /** It is about the amount, which is the key of the product: the catalogue is to be read again. */
      ofAmount?: true;
    }
  /** Nothing was bought, and nothing will be until this is put right or has passed. */
  | { kind: 'not_accepted'; fault: Fault }
  | { kind: 'unknown' };

interface ResponseCode {
  words: string;
  meaning: CodeMeaning;
}

type Refusal = Extract<CodeMeaning, { kind: 'failed' }>;

const elsewhere = (code: UnitFailureCode): Refusal => ({ kind: 'failed', code, failover: true });
const nowhere = (code: UnitFailureCode): CodeMeaning => ({ kind: 'failed', code, failover: false });
const fault = (kind: Fault): CodeMeaning => ({ kind: 'not_accepted', fault: kind });
const UNKNOWN: CodeMeaning = { kind: 'unknown' };

const ROWS: Record<string, readonly [words: string, meaning: CodeMeaning]> = {
  '00000': ['accepted', { kind: 'accepted' }],
  '10001': ['internal error of the database', UNKNOWN],
  '10002': ['internal error, the transaction is not complete', UNKNOWN],
  '10003': ['too many requests', fault('rate')],
  '10004': ['internal error, the transaction could not be made', UNKNOWN],
  '20001': ['the username is not valid', fault('credentials')],
  '20003': ['the password is not valid', fault('credentials')],
  '20004': ['our account may not use the API', fault('credentials')],
  '20005': ['it does not allow our address', fault('credentials')],
  '30001': ['it does not know the company', elsewhere('ITEM_NOT_FOUND')],
  '30002': ['the transaction’s id is not valid', UNKNOWN],
  '30003': ['it does not find the transaction', UNKNOWN],
  '30004': ['the transaction is being processed', UNKNOWN],
  // Of no use to any purchase until it is put right, so that the whole supplier has to wait.
  '30005': ['the callback address is not valid', fault('credentials')],
  '30006': ['the reference is not valid', fault('credentials')],
  '30007': ['the amount is not valid', { ...elsewhere('ITEM_NOT_FOUND'), ofAmount: true }],
  '30008': ['the company is not valid', elsewhere('ITEM_NOT_FOUND')],
  '30009': ['reference 1 is not valid', nowhere('INVALID_PLAYER')],
  '30010': ['reference 2 is not valid', nowhere('INVALID_SERVER')],
  '30011': ['reference 3 is not valid', nowhere('SUPPLIER_REJECTED')],
  '30012': ['reference 4 is not valid', nowhere('SUPPLIER_REJECTED')],
  '30013': ['the barcode is not valid', nowhere('SUPPLIER_REJECTED')],
  '30016': ['the reference is repeated', { kind: 'repeated' }],
  '30017': ['the company of the bill is another', nowhere('SUPPLIER_REJECTED')],
  '30018': ['the amount of the bill is another', nowhere('SUPPLIER_REJECTED')],
  '30019': ['our balance is too low', fault('deposit')],
  '30020': ['our account may not pay this company', fault('configuration')],
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
