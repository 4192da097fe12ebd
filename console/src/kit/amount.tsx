import type { ReactNode } from 'react';

/** `1240.5` from the API as `1,240.50`; the text is never made a number, so nothing is rounded. */
export function formatAmount(amount: string): string {
  const [, sign = '', whole = '0', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign === '-' ? '−' : ''}${grouped}.${fraction.padEnd(2, '0')}`;
}

/** Money, with two digits or more and its currency. @param currency null where the column says it. */
export function Amount({ value, currency = 'THB' }: { value: string; currency?: string | null }): ReactNode {
  return (
    <span className="number">
      {formatAmount(value)}
      {currency !== null && <span className="muted"> {currency}</span>}
    </span>
  );
}
