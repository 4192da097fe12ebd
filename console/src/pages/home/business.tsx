import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatWeekday } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Answered } from '../../kit/states';
import { useBusiness, type Business as BusinessDays } from './figures-now';
import classes from './home.module.css';

type Day = BusinessDays['today'];

/** The business of today, against yesterday and the same weekday a week before, each until the same time. */
export function Business(): ReactNode {
  return (
    <Answered query={useBusiness()} rows={4}>
      {(business) => <Cards {...business} />}
    </Answered>
  );
}

function Cards(days: BusinessDays): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { today, new_merchants: merchants } = days;
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const whole = (value: number): string => numbers.format(value);
  const percent = (value: number): string => percents.format(value);
  const newest = merchants[0];
  return (
    <div className={classes.business}>
      <Card
        {...{ days, label: t('home.sales'), read: ({ sales }) => Number(sales), format: whole, better: 1 }}
        value={formatAmount(today.sales)}
        unit="THB"
        link={{ to: '/reports/daily' }}
      />
      {today.margin !== null && (
        <Card
          {...{ days, label: t('home.margin'), read: ({ margin }) => Number(margin), format: whole, better: 1 }}
          value={today.margin_percent === null ? '—' : formatAmount(today.margin)}
          unit={today.margin_percent === null ? '' : percent(today.margin_percent / 100)}
          note={
            Number(today.sales_without_cost) > 0 &&
            t('home.withoutCost', { amount: formatAmount(today.sales_without_cost ?? '') })
          }
          link={{ to: '/reports/margin' }}
        />
      )}
      <Card
        {...{ days, label: t('home.orders'), read: ({ orders }) => orders, format: whole, better: 1 }}
        value={whole(today.orders)}
        link={{ to: '/orders' }}
      />
      <Card
        {...{
          days,
          label: t('home.failedShare'),
          read: (day) => day.failed_share,
          format: percent,
          better: -1,
        }}
        value={today.failed_share === null ? '—' : percent(today.failed_share)}
        link={{ to: '/orders', search: { status: 'failed' } }}
      />
      <Card
        {...{ days, label: t('home.newMerchants'), read: (day) => day.first_orders, format: whole, better: 1 }}
        value={whole(today.first_orders)}
        note={newest && (merchants.length === 1 ? newest.name : `${newest.name} +${merchants.length - 1}`)}
        link={newest ? { to: '/merchants/$id', params: { id: String(newest.id) } } : { to: '/merchants' }}
      />
    </div>
  );
}

interface CardProps {
  days: BusinessDays;
  label: string;
  value: string;
  /** Small, beside the value. */
  unit?: string;
  note?: ReactNode;
  link: LinkProps;
  read: (day: Day) => number | null;
  format: (value: number) => string;
  /** 1 if higher is better, -1 if lower is. */
  better: 1 | -1;
}

function Card({ days, label, value, unit, note, link, ...compared }: CardProps): ReactNode {
  const t = useT();
  const { language, zone } = useWords();
  const weekday = formatWeekday(days.week_before.from, language, zone, 'short');
  return (
    <Link {...link} className={classes.figure}>
      <span className={classes.main}>
        <span className={classes.label}>{label}</span>
        <span className={classes.count}>
          {value}
          {unit && <span className={classes.unit}> {unit}</span>}
        </span>
      </span>
      <span className={classes.compared}>
        <Compared {...compared} name={t('home.yesterday')} now={days.today} before={days.yesterday} />
        <Compared
          {...compared}
          name={t('home.weekBefore', { day: weekday })}
          now={days.today}
          before={days.week_before}
        />
      </span>
      {note && <span className={classes.about}>{note}</span>}
    </Link>
  );
}

/** The value of an earlier day, and the change since. */
function Compared({
  name,
  now,
  before,
  read,
  format,
  better,
}: Pick<CardProps, 'read' | 'format' | 'better'> & { name: string; now: Day; before: Day }): ReactNode {
  const { language } = useWords();
  const [value, earlier] = [read(now), read(before)];
  const change = value === null || !earlier ? null : (value - earlier) / Math.abs(earlier);
  const tone = !change ? undefined : change * better > 0 ? 'good' : 'bad';
  const percents = new Intl.NumberFormat(language, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  return (
    <>
      <span>{name}</span>
      <span className="number">{earlier === null ? '—' : format(earlier)}</span>
      <span className={classes.change} data-tone={tone}>
        {change !== null && percents.format(change)}
      </span>
    </>
  );
}
