/** A supplier's amount, in millionths of its currency. Never a floating-point number. */
export interface CostMoney {
  /** Millionths: 1 IDR is 1,000,000. */
  micros: bigint;
  /** The supplier's code for the currency, such as `THB`. */
  currency: string;
}

/** As many whole units as `MAX_SATANG` has baht. Below the maximum of a PostgreSQL bigint. */
const MAX_MICROS = 10n ** 18n;
const FRACTION_DIGITS = 6;
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,6}))?$/;

/**
 * Reads an amount such as `10000` or `23.5`.
 * @returns millionths, or null when the text is not a plain non-negative amount with at most six fraction digits, or
 * is larger than the maximum.
 */
export function parseMicros(text: string): bigint | null {
  const [, whole, fraction = ''] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return null;
  const micros = BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'));
  return micros <= MAX_MICROS ? micros : null;
}

/** As {@link parseMicros}, but also reads negative amounts, such as `-250.25`. */
export function parseSignedMicros(text: string): bigint | null {
  if (!text.startsWith('-')) return parseMicros(text);
  const size = parseMicros(text.slice(1));
  return size === null ? null : -size;
}

/**
 * Writes millionths in the currency's own unit: `23500000n` is `23.5`.
 * @param atLeast the minimum number of fraction digits.
 */
export function formatMicros(micros: bigint, atLeast = 0): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(FRACTION_DIGITS + 1, '0');
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '').padEnd(atLeast, '0');
  const whole = `${micros < 0n ? '-' : ''}${digits.slice(0, -FRACTION_DIGITS)}`;
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
