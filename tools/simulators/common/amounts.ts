import type { Shape } from './shapes.js';

/** Money as a decimal with at most `digits` fraction digits, in whole smallest units; null for anything else. */
export function unitsOf(text: string, digits: number): number | null {
  const [, whole, fraction = ''] = /^(\d{1,9})(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > digits) return null;
  return Number(whole + fraction.padEnd(digits, '0'));
}

/** Whole smallest units as a decimal with exactly `digits` fraction digits. */
export function decimalOf(units: number, digits: number): string {
  const text = String(Math.abs(units)).padStart(digits + 1, '0');
  const split = text.length - digits;
  return `${units < 0 ? '-' : ''}${text.slice(0, split)}.${text.slice(split)}`;
}

/** An amount in a test: a decimal text from 0. */
export const amountText = (digits: number): Shape => ({
  expected: `an amount in a string, with at most ${digits} decimals`,
  fits: (value) => typeof value === 'string' && unitsOf(value, digits) !== null,
});
