import {
  refusedHere,
  ourFault,
  refusedEverywhere,
  UNKNOWN,
  type CodeMeaning,
  type CodeRefusal,
  type ResponseCodeRows,
} from '../adapter-answers.js';

/** The meaning of a response code in the answer to the first send of a purchase. */
type DigiflazzMeaning =
  | Exclude<CodeMeaning, CodeRefusal>
  | { kind: 'succeeded' }
  | (CodeRefusal & {
      /** Whether the supplier may still change the refusal. */
      confirm?: true;
      /** Whether the supplier refuses only because we send too often. Such a refusal passes after a minute. */
      tooOften?: true;
    });

export interface ResponseCode {
  status: 'Sukses' | 'Pending' | 'Gagal';
  /**
   * Whether the code is about a transaction that the supplier has stored. Otherwise the code says nothing about an earlier
   * send: the supplier may have decided before it looked up the reference.
   */
  made: boolean;
  label: string;
  meaning: DigiflazzMeaning;
}

type Rows = ResponseCodeRows<DigiflazzMeaning>;

const SUCCEEDED: Rows = { '00': ['success', { kind: 'succeeded' }] };

const PENDING: Rows = {
  '03': ['pending', { kind: 'processing' }],
  '99': ['an issue of the router', { kind: 'processing' }],
};

/** Refusals of a transaction that the supplier has stored (`made`). */
const FAILED: Rows = {
  '01': ['timeout', { ...refusedHere('SUPPLIER_REJECTED'), confirm: true }],
  '02': ['failed', refusedHere('SUPPLIER_REJECTED')],
  '50': ['transaction not found', UNKNOWN],
  '51': ['the destination is blocked', refusedEverywhere('PLAYER_NOT_ELIGIBLE')],
  '52': ['the prefix does not fit the operator', refusedEverywhere('INVALID_PLAYER')],
  '53': ['the seller’s product is not available', refusedHere('PRODUCT_UNAVAILABLE')],
  '54': ['wrong destination', refusedEverywhere('INVALID_PLAYER')],
  '55': ['the product is disturbed', refusedHere('PRODUCT_UNAVAILABLE')],
  '57': ['too few or too many digits', refusedEverywhere('INVALID_PLAYER')],
  '58': ['cut-off', refusedHere('PRODUCT_UNAVAILABLE')],
  '59': ['the destination is outside the region', refusedEverywhere('PLAYER_NOT_ELIGIBLE')],
  '60': ['the bill is not available', refusedEverywhere('SUPPLIER_REJECTED')],
  '70': ['timeout of the biller', { ...refusedHere('SUPPLIER_REJECTED'), confirm: true }],
  '71': ['the product is unstable', refusedHere('PRODUCT_UNAVAILABLE')],
  '72': ['another package must be unregistered first', refusedEverywhere('PLAYER_NOT_ELIGIBLE')],
  '73': ['above the limit of kWh', refusedEverywhere('LIMIT_EXCEEDED')],
  '74': ['refunded', refusedHere('SUPPLIER_REJECTED')],
  '84': ['the amount is not valid', refusedHere('SUPPLIER_REJECTED')],
  '85': ['too many transactions within a minute', { ...refusedHere('SUPPLIER_UNAVAILABLE'), tooOften: true }],
  '86': ['too many look-ups within a minute', { ...refusedHere('SUPPLIER_UNAVAILABLE'), tooOften: true }],
};

/** Refusals without a stored transaction. */
const NOT_MADE: Rows = {
  '40': ['it can’t read the request', ourFault('configuration')],
  '41': ['wrong signature', ourFault('credentials')],
  '42': ['it does not know the username', ourFault('credentials')],
  '43': ['the SKU is unknown or inactive', refusedHere('ITEM_NOT_FOUND')],
  '44': ['our deposit is too low', ourFault('deposit')],
  '45': ['it does not allow our address', ourFault('credentials')],
  '47': ['another buyer has made this transaction', refusedHere('LIMIT_EXCEEDED')],
  '49': ['the reference is not unique', UNKNOWN],
  '56': ['the seller’s balance is limited', refusedHere('PRODUCT_UNAVAILABLE')],
  '61': ['we have never made a deposit', ourFault('deposit')],
  '62': ['the seller is disturbed', refusedHere('PRODUCT_UNAVAILABLE')],
  '63': ['no repeated transaction to this number', refusedHere('LIMIT_EXCEEDED')],
  '64': ['the deposit ticket failed', UNKNOWN],
  '65': ['the limit of repeated transactions', refusedHere('LIMIT_EXCEEDED')],
  '66': ['cut-off for maintenance', refusedHere('PRODUCT_UNAVAILABLE')],
  '67': ['the seller is not verified', refusedHere('PRODUCT_UNAVAILABLE')],
  '68': ['the stock is empty', refusedHere('OUT_OF_STOCK')],
  '69': ['not available at the expected price', { ...refusedHere('PRODUCT_UNAVAILABLE'), isPriceRefused: true }],
  '80': ['the seller has blocked us', ourFault('configuration')],
  '81': ['we have blocked the seller', ourFault('configuration')],
  '82': ['our account is not verified', ourFault('credentials')],
  '83': ['the price list was requested too often', UNKNOWN],
  '87': ['only multiples of Rp 1,000', refusedEverywhere('SUPPLIER_REJECTED')],
  '88': ['our account may not do this', ourFault('credentials')],
};

/** The supplier's response codes, as two digits. */
export const RESPONSE_CODES: ReadonlyMap<string, ResponseCode> = new Map([
  ...rows(SUCCEEDED, 'Sukses', true),
  ...rows(PENDING, 'Pending', true),
  ...rows(FAILED, 'Gagal', true),
  ...rows(NOT_MADE, 'Gagal', false),
]);

function rows(of: Rows, status: ResponseCode['status'], made: boolean): [string, ResponseCode][] {
  return Object.entries(of).map(([rc, [label, meaning]]) => [rc, { status, made, label, meaning }]);
}
