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
        days={days}
        label={t('home.sales')}
        read={({ sales }) => Number(sales)}
        format={whole}
        value={formatAmount(today.sales)}
        unit="THB"
        link={{ to: '/reports/daily' }}
      />
      {today.margin !== null && (
        <Card
          days={days}
          label={t('home.margin')}
          read={({ margin }) => Number(margin)}
          format={whole}
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
        days={days}
        label={t('home.orders')}
        read={({ orders }) => orders}
        format={whole}
        link={{ to: '/orders' }}
      />
      <Card
        days={days}
        label={t('home.failedShare')}
        read={(day) => day.failed_share}
        format={percent}
        better={-1}
        link={{ to: '/orders', search: { status: 'failed' } }}
      />
      <Card
        days={days}
        label={t('home.newMerchants')}
        read={(day) => day.first_orders}
        format={whole}
        note={newest && (merchants.length === 1 ? newest.name : `${newest.name} +${merchants.length - 1}`)}
        link={newest ? { to: '/merchants/$id', params: { id: String(newest.id) } } : { to: '/merchants' }}
      />
    </div>
  );
}

interface CardProps {
  days: BusinessDays;
  label: string;
  read: (day: Day) => number | null;
  format: (value: number) => string;
  /** 1 if higher is better, -1 if lower is. */
  better?: 1 | -1;
  /** The value of today; by default as `format` writes it. */
  value?: string;
  /** Small, beside the value. */
  unit?: string;
  note?: ReactNode;
  link: LinkProps;
}

const shown = (value: number | null, format: (value: number) => string): string =>
  value === null ? '—' : format(value);

function Card({ days, label, read, format, better = 1, value, unit, note, link }: CardProps): ReactNode {
  const t = useT();
  const { language, zone } = useWords();
  const compared = { read, format, better, now: days.today };
  const weekday = formatWeekday(days.week_before.from, language, zone, 'short');
  return (
    <Link {...link} className={classes.figure}>
      <span className={classes.main}>
        <span className={classes.label}>{label}</span>
        <span className={classes.count}>
          {value ?? shown(read(days.today), format)}
          {unit && <span className={classes.unit}> {unit}</span>}
        </span>
      </span>
      <span className={classes.compared}>
        <Compared {...compared} name={t('home.yesterday')} before={days.yesterday} />
        <Compared {...compared} name={t('home.weekBefore', { day: weekday })} before={days.week_before} />
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
}: Required<Pick<CardProps, 'read' | 'format' | 'better'>> & { name: string; now: Day; before: Day }): ReactNode {
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
      <span className="number">{shown(earlier, format)}</span>
      <span className={classes.change} data-tone={tone}>
        {change !== null && percents.format(change)}
      </span>
    </>
  );
}
