/** Commas may stand only where `1,240,000.5` has them: many people write `1500,00` for one thousand five hundred. */
const GROUPED = /^(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;
const AMOUNT = /^(\d{1,13})(?:\.(\d{1,2}))?$/;

/** Writes an amount as people type it without commas and spaces. Returns null when it is not an amount. */
export function plainAmount(text: string): string | null {
  const typed = text.replaceAll(/\s/g, '');
  return GROUPED.test(typed) ? typed.replaceAll(',', '') : null;
}

/** Reads an amount as people type it, as satang. Returns null when it is not an amount. */
export function readAmount(text: string): bigint | null {
  const [, whole, fraction = ''] = AMOUNT.exec(plainAmount(text) ?? '') ?? [];
  return whole === undefined ? null : BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'));
}
