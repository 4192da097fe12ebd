export type Status = 'Sukses' | 'Pending' | 'Gagal';

/** A response code of the vendor's table. */
export interface ResponseCode {
  readonly rc: string;
  readonly status: Status;
  /** The column "transaction formed": the reference is used up, and a repeat returns this state. */
  readonly made: boolean;
  readonly message: string;
}

// Documented up to 62 on the vendor's page, from 62 on in dated transcriptions of it.
const MADE: readonly (readonly [string, Status, string])[] = [
  ['00', 'Sukses', 'Transaksi Sukses'],
  ['01', 'Gagal', 'Timeout'],
  ['02', 'Gagal', 'Transaksi Gagal'],
  ['03', 'Pending', 'Transaksi Pending'],
  ['50', 'Gagal', 'Transaction not found'],
  ['51', 'Gagal', 'Destination blocked'],
  ['52', 'Gagal', 'Prefix does not fit the operator'],
  ['53', 'Gagal', 'Product unavailable at the seller'],
  ['54', 'Gagal', 'Wrong destination'],
  ['55', 'Gagal', 'Product disturbed'],
  ['57', 'Gagal', 'Too few or too many digits'],
  ['58', 'Gagal', 'Cut-off'],
  ['59', 'Gagal', 'Destination outside the region'],
  ['60', 'Gagal', 'Bill not available'],
  ['70', 'Gagal', 'Timeout of the biller'],
  ['71', 'Gagal', 'Product unstable'],
  ['72', 'Gagal', 'Unregister the package first'],
  ['73', 'Gagal', 'kWh above the limit'],
  ['74', 'Gagal', 'Transaction refunded'],
  ['84', 'Gagal', 'Amount not valid'],
  ['85', 'Gagal', 'Transaction limit, try again in 1 minute'],
  ['86', 'Gagal', 'PLN look-up limit'],
  ['99', 'Pending', 'Router issue'],
];

const NOT_MADE: readonly (readonly [string, string])[] = [
  ['40', 'Payload error'],
  ['41', 'Bad signature'],
  ['42', 'Buyer API failed'],
  ['43', 'SKU unknown or inactive'],
  ['44', 'Deposit too low'],
  ['45', 'IP not known'],
  ['47', 'Already transacted by another buyer'],
  ['49', 'ref_id not unique'],
  ['56', 'Balance limit of the seller'],
  ['61', 'Never made a deposit'],
  ['62', 'Seller disturbed'],
  ['63', 'No repeated transaction to this number'],
  ['64', 'Deposit ticket failed'],
  ['65', 'Limit of repeated transactions'],
  ['66', 'Cut-off, maintenance of the seller'],
  ['67', 'Seller not verified'],
  ['68', 'Stock empty'],
  ['69', 'Price above max_price'],
  ['80', 'The seller blocked your account'],
  ['81', 'You blocked this seller'],
  ['82', 'Your account is not verified'],
  ['83', 'Price list asked too often'],
  ['87', 'E-money takes multiples of Rp 1,000'],
  ['88', 'Your account may not do this'],
];

export const RESPONSE_CODES: ReadonlyMap<string, ResponseCode> = new Map<string, ResponseCode>([
  ...MADE.map(([rc, status, message]) => [rc, { rc, status, made: true, message }] as const),
  ...NOT_MADE.map(([rc, message]) => [rc, { rc, status: 'Gagal' as const, made: false, message }] as const),
]);

/** The code of the table. A code that is not in it counts as a refusal that forms no transaction. */
export function codeOf(rc: string): ResponseCode {
  return RESPONSE_CODES.get(rc) ?? { rc, status: 'Gagal', made: false, message: `Response code ${rc}` };
}
