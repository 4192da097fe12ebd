import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatDay, formatShortDay, ZONE_OF_DAYS } from '../../i18n/moments';
import { useWords, type Translate } from '../../i18n/words';
import { Amount, formatAmount, readAmount, writeAmount } from '../../kit/amount';
import { Moment } from '../../kit/moment';
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

/** Why a payment waits or is a case, what the channel took back of it, and a contradiction, as facts. */
export const doubtsOf = (
  { reason, taken_back_amount: amount, contradicted, currency }: PaymentView,
  t: Translate,
): (readonly [string, ReactNode] | null)[] => [
  reason === null ? null : [t('payments.why'), t.maybe(`payments.why.${reason}`) ?? reason],
  amount === null ? null : [t('payments.takenBack'), <Amount key="back" value={amount} currency={currency} />],
  contradicted ? [t('payments.contradicted'), t('payments.contradictedWhy')] : null,
];

/** When a payment was paid. Some statements have no times: then only the day is known. */
export function PaidAt({ payment, isShort = false }: { payment: PaymentView; isShort?: boolean }): ReactNode {
  const { language } = useWords();
  const { paid_at: at, precision } = payment;
  if (precision !== 'day') return isShort ? <Moment at={at} form="short" zoned={false} /> : <Moment at={at} />;
  return (
    <time className="number" dateTime={at}>
      {(isShort ? formatShortDay : formatDay)(at, language, ZONE_OF_DAYS)}
    </time>
  );
}
