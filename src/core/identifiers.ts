import { hash, randomBytes } from 'node:crypto';

const POOL_BYTES = 4096;

/**
 * Makes a generator of random text over an alphabet of at most 64 characters, all equally likely. The generator takes bytes from a
 * pool of random bytes, because a system call for each identifier would be too slow.
 */
export function customAlphabet(alphabet: string): (length: number) => string {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (length) => {
    let text = '';
    while (text.length < length) {
      if (used === pool.length) {
        pool = randomBytes(POOL_BYTES);
        used = 0;
      }
      // Six bits select one of 64 places. A place past the alphabet's end is drawn again, which avoids bias.
      text += alphabet[(pool[used++] ?? 0) & 63] ?? '';
    }
    return text;
  };
}

const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomBase62 = customAlphabet(BASE_62);

const EPOCH_SECONDS = Date.UTC(2020) / 1000;
/** The number of characters of {@link timePart}: 36^6 seconds are 69 years. */
const TIME_LENGTH = 6;

/**
 * The current second as text. It follows the prefix of an id, so that new ids are all added at one end of a unique index, whose
 * pages are in memory. The text has only digits and capitals, which all collations of PostgreSQL sort in the order of time. A wrong
 * clock only puts ids elsewhere in the index.
 */
export const timePart = (nowMs = Date.now()): string =>
  Math.max(0, Math.floor(nowMs / 1000) - EPOCH_SECONDS)
    .toString(36)
    .toUpperCase()
    .padStart(TIME_LENGTH, '0')
    .slice(-TIME_LENGTH);

/**
 * `ord_` and 16 base-62 characters: 6 for the time and 10 random ones, which have 8.4e17 possibilities (60 bits) in every second.
 * The probability that two of n orders in one second have the same number is n^2 / 1.7e18. At 386 orders a second, which are a
 * billion a month, this happens once in 360,000 years. The database then refuses the second number. The service places
 * the orders of its batch again, one by one, with new numbers. An order that is alone in its batch gets an error.
 */
export const newOrderNumber = (): string => `ord_${timePart()}${randomBase62(16 - TIME_LENGTH)}`;

/**
 * `evt_` and 22 base-62 characters: 6 for the time and 16 random ones (95 bits in every second). The id is also the `webhook-id`
 * of every delivery of the event.
 */
export const newEventId = (): string => `evt_${timePart()}${randomBase62(22 - TIME_LENGTH)}`;

/** `dep_` and 16 base-62 characters, as {@link newOrderNumber}. */
export const newDepositNumber = (): string => `dep_${timePart()}${randomBase62(16 - TIME_LENGTH)}`;

const randomBase32 = customAlphabet('0123456789ABCDEFGHJKMNPQRSTVWXYZ');

/** Our reference in a QR code: `D` and 11 characters of Crockford's base 32 (55 bits), which people can type. */
export const newDepositReference = (): string => `D${randomBase32(11)}`;

const HASH_LENGTH = 22;
/** As many digits as a number holds exactly. Dividing the hash for each digit would make much garbage in large imports. */
const DIGITS_AT_ONCE = 8;
const AT_ONCE = 62n ** BigInt(DIGITS_AT_ONCE);

/** `pay_` and 22 base-62 characters of a hash: a payment with the same identity always has the same id. */
export function paymentId(...identity: string[]): string {
  let rest = BigInt(`0x${hash('sha256', JSON.stringify(identity), 'hex')}`);
  let text = '';
  while (text.length < HASH_LENGTH) {
    let digits = Number(rest % AT_ONCE);
    rest /= AT_ONCE;
    for (let n = 0; n < DIGITS_AT_ONCE; n++) {
      text = `${BASE_62[digits % 62] ?? ''}${text}`;
      digits = Math.floor(digits / 62);
    }
  }
  return `pay_${text.slice(-HASH_LENGTH)}`;
}

/** `req_` and 20 random base-62 characters. */
export const newRequestId = (): string => `req_${randomBase62(20)}`;

/** The prefix of sandbox merchants' keys. No other key begins with it. */
export const SANDBOX_KEY_START = 'topup_test_';

/**
 * `topup_`, or for a sandbox merchant `topup_test_`; with several cells, the name of the cell and `_`; and 43 random base-62
 * characters (256 bits).
 * @param cell empty for a single installation.
 */
export const newApiKey = (sandbox = false, cell = ''): string =>
  `${sandbox ? SANDBOX_KEY_START : 'topup_'}${cell === '' ? '' : `${cell}_`}${randomBase62(43)}`;

/** The form of keys of all cells. It is unambiguous: no part has an underscore, and no cell is named `test`. */
export const API_KEY_SHAPE = /^topup_(test_)?((?!test_)[a-z][a-z0-9]{0,11}_)?[0-9A-Za-z]{43}$/;

/** The part of an API key that may be shown and stored in the clear: its prefix and 6 random characters. */
export const apiKeyPrefix = (key: string): string => key.slice(0, key.lastIndexOf('_') + 7);

/** `sandbox_` and 16 random base-62 characters: the reference of a sandbox merchant's credit to itself. */
export const newSandboxReference = (): string => `sandbox_${randomBase62(16)}`;

const MAX_ID = 2 ** 31 - 1;

/** Reads the id of a row with an integer key, such as a merchant or an API key. @returns null for other text. */
export function readId(text: string): number | null {
  const value = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : NaN;
  return value <= MAX_ID ? value : null;
}
