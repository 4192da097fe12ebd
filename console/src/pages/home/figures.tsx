import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatDuration } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Sparkline, type ChartTone } from '../../kit/chart';
import { EVERY, usePolled } from '../../kit/live';
import { Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import type { components } from '../../schema';
import { useNow } from './figures-now';
import classes from './home.module.css';

type Now = components['schemas']['FiguresNowDto'];
type Over = components['schemas']['FiguresOverTimeDto'];
type Values = readonly (number | null)[];

/** Four numbers with their course over the last hour. */
export function Figures(): ReactNode {
  const t = useT();
  const query = useNow();
  const { data: hour } = usePolled({
    queryKey: ['figures', 'minutes', 'hour'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/figures/minutes', { signal })),
    every: EVERY.rest,
  });
  return (
    <Section title={t('home.now')}>
      <Answered query={query} rows={3}>
        {(now) => <Cards now={now} hour={hour} />}
      </Answered>
    </Section>
  );
}

function Cards({ now, hour }: { now: Now; hour: Over | undefined }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const count = (value: number | null): string => (value === null ? '—' : numbers.format(value));
  const duration = (seconds: number | null): string =>
    seconds === null ? '—' : formatDuration(seconds * 1000, language);
  const since = (seconds: number | null): string | undefined =>
    seconds ? t('home.oldest', { duration: duration(seconds) }) : undefined;
  const level = (name: string): Values => valuesOf(hour?.levels, name);
  const inReview = now.units_review ?? 0;
  return (
    <div className={classes.figures}>
      <Card
        label={t('home.ordersPerMinute')}
        value={numbers.format(now.orders_per_minute)}
        about={t('home.pace')}
        line={valuesOf(hour?.counts, 'orders_placed')}
        link={{ to: '/orders' }}
      />
      <Card
        label={t('home.oldestOpen')}
        value={now.orders_open === 0 ? '—' : duration(now.orders_oldest_open_seconds)}
        about={t('home.openOrders', { count: now.orders_open ?? 0 })}
        line={level('orders_oldest_open_seconds')}
        link={{ to: '/orders', search: { status: 'processing' } }}
      />
      <Card
        label={t('home.unitsUnknown')}
        value={count(now.units_unknown)}
        about={t('home.unitsReview', { count: inReview })}
        line={addUp(level('units_unknown'), level('units_review'))}
        tone="warn"
        link={{ to: '/review' }}
        isAlarming={inReview > 0}
      />
      <Card
        label={t('home.deliveries')}
        value={count(now.webhooks_due)}
        about={since(now.webhooks_oldest_due_seconds)}
        line={level('webhooks_due')}
        link={{ to: '/deliveries', search: { status: 'pending' } }}
      />
    </div>
  );
}

interface CardProps {
  label: string;
  value: string;
  about?: string | undefined;
  line: Values;
  tone?: ChartTone;
  /** The list behind the number. */
  link: LinkProps;
  isAlarming?: boolean;
}

function Card({ label, value, about, line, tone, link, isAlarming = false }: CardProps): ReactNode {
  return (
    <Link {...link} className={classes.figure} data-alarming={isAlarming}>
      <span className={classes.label}>{label}</span>
      <span className={classes.count}>{value}</span>
      <span className={classes.about}>{about ?? '\u00a0'}</span>
      {/* The current minute is incomplete and would always look like a drop. */}
      <Sparkline values={line.slice(0, -1)} tone={tone} />
    </Link>
  );
}

const valuesOf = (series: Over['counts'] | undefined, name: string): Values =>
  series?.find((each) => each.name === name)?.values ?? [];

const addUp = (one: Values, other: Values): Values =>
  one.map((value, index) => (value === null ? null : value + (other[index] ?? 0)));
