import type { ReactNode } from 'react';

export { readAmount } from './read-amount';

/** Formats `1240.5` from the API as `1,240.50`. Works on the text, because a number could lose digits. */
export function formatAmount(amount: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign === '-' ? '−' : ''}${grouped}.${fraction.padEnd(2, '0')}`;
}

/** Formats satang for the API, such as `1240.50`. */
export function writeAmount(satang: bigint): string {
  const digits = String(satang < 0n ? -satang : satang).padStart(3, '0');
  return `${satang < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** Money with at least two decimals and its currency. @param currency null when the column names it. */
export function Amount({ value, currency = 'THB' }: { value: string; currency?: string | null }): ReactNode {
  return (
    <span className="number">
      {formatAmount(value)}
      {currency !== null && <span className="muted"> {currency}</span>}
    </span>
  );
}
