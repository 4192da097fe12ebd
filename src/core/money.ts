import { present } from './invariant.js';

/** An amount of money in satang (1/100 THB). Never a floating-point number. */
export type Satang = bigint;

/** The maximum of an amount: far more than any wallet needs. A PostgreSQL bigint can hold the sum of many such amounts. */
export const MAX_SATANG: Satang = 100_000_000_000_000n;

const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2}))?$/;

/**
 * Reads an amount in baht, such as `35`, `35.5` or `35.00`.
 * @returns satang, or null when the text is not a plain non-negative amount with at most two fraction digits,
 * or is larger than {@link MAX_SATANG}.
 */
export function parseBaht(text: string): Satang | null {
  const match = AMOUNT.exec(text);
  if (!match) return null;
  const satang = BigInt(match[1] ?? '0') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
  return satang <= MAX_SATANG ? satang : null;
}

/** Reads an amount of a request that has already been validated. */
export const checkedBaht = (text: string): Satang => present(parseBaht(text), 'an amount was checked');

/** Like {@link checkedBaht}, for an amount that may be absent. */
export const optionalBaht = (text: string | undefined): Satang | undefined =>
  text === undefined ? undefined : checkedBaht(text);

/** Writes satang as baht with two fraction digits: `3500n` is `35.00`, `-5n` is `-0.05`. */
export function formatBaht(satang: Satang): string {
  const digits = (satang < 0n ? -satang : satang).toString().padStart(3, '0');
  return `${satang < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Like {@link formatBaht}, for an amount that may be missing. */
export const bahtOrNull = (satang: Satang | null): string | null => (satang === null ? null : formatBaht(satang));

/** A percentage that a price can change by: above -100, with up to four fraction digits. */
export interface Percentage {
  /** The original text. */
  text: string;
  /** Millionths of the price: -35000 for -3.5 %. */
  millionths: bigint;
}

const WHOLE = 1_000_000n;
const PERCENTAGE = /^([+-]?)(\d{1,6})(?:\.(\d{1,4}))?$/;

/** @returns null for other text. */
export function parsePercentage(text: string): Percentage | null {
  const [, sign, whole = '0', fraction = ''] = PERCENTAGE.exec(text) ?? [];
  if (sign === undefined) return null;
  const size = BigInt(whole + fraction.padEnd(4, '0'));
  const millionths = sign === '-' ? -size : size;
  return millionths > -WHOLE ? { text, millionths } : null;
}

/** A price changed by a percentage, rounded half up to satang. */
export const addPercent = (price: Satang, { millionths }: Percentage): Satang =>
  (2n * price * (WHOLE + millionths) + WHOLE) / (2n * WHOLE);
