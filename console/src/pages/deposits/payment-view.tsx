import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Translate } from '../../i18n/words';
import { Amount, formatAmount, readAmount, writeAmount } from '../../kit/amount';
import type { PaymentView } from './deposit-view';

export const stateOf = ({ state, is_open_case: isCase }: PaymentView): string => `payment_${isCase ? 'case' : state}`;

export const DepositLink = ({ number }: { number: string }): ReactNode => (
  <Link to="/deposits/$number" params={{ number }} className="mono">
    {number}
  </Link>
);

/** How far a payment is from the amount that a deposit was dealt. */
export function differenceOf(paid: string, dealt: string, t: Translate): string {
  const difference = (readAmount(paid) ?? 0n) - (readAmount(dealt) ?? 0n);
  if (difference === 0n) return t('payments.exact');
  const by = formatAmount(writeAmount(difference < 0n ? -difference : difference));
  return t(difference < 0n ? 'payments.short' : 'payments.over', { by });
}

/** What the channel took back of a payment, as a fact. Null if it took nothing back. */
export const takenBackOf = (
  { taken_back_amount: amount, currency }: PaymentView,
  t: Translate,
): readonly [string, ReactNode] | null =>
  amount === null ? null : [t('payments.takenBack'), <Amount key="back" value={amount} currency={currency} />];
