import type { ReactNode } from 'react';
import { formatWeekday } from '../../i18n/moments';
import { useT, useWords, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Chart } from '../../kit/chart';
import { Section } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Stack, Table, type Column } from '../../kit/table';
import { useBusiness, type Business } from './figures-now';

const HOUR_MS = 3_600_000;

/** The sales of today hour by hour, beside those of earlier days. */
export function SalesSoFar(): ReactNode {
  const t = useT();
  const { language, zone } = useWords();
  return (
    <Section title={t('home.salesSoFar')}>
      <Answered query={useBusiness()} rows={4}>
        {({ today, yesterday, week_before: weekBefore }) => {
          const hours = Math.max(today.hours.length, yesterday.hours.length, weekBefore.hours.length);
          const weekday = formatWeekday(weekBefore.from, language, zone, 'long');
          return (
            <Chart
              label={t('home.salesSoFar')}
              kind="lines"
              at={Array.from({ length: hours }, (_, hour) =>
                new Date(Date.parse(today.from) + (hour + 1) * HOUR_MS).toISOString(),
              )}
              series={[
                { name: t('home.today'), tone: 'accent', values: soFar(today.hours, hours) },
                { name: t('home.yesterday'), tone: 'quiet', values: soFar(yesterday.hours, hours) },
                { name: t('home.weekBefore', { day: weekday }), tone: 'busy', values: soFar(weekBefore.hours, hours) },
              ]}
              height={200}
            />
          );
        }}
      </Answered>
    </Section>
  );
}

/** The sum until the end of each hour; null for hours that have not begun. */
function soFar(sales: readonly string[], hours: number): (number | null)[] {
  let sum = 0;
  return Array.from({ length: hours }, (_, hour) => {
    const sold = sales[hour];
    if (sold === undefined) return null;
    sum += Number(sold);
    return sum;
  });
}

type Best = Business['best_products'][number];

/** The products with the highest sales of today. */
export function BestProducts(): ReactNode {
  const t = useT();
  return (
    <Section title={t('home.best')}>
      <Answered query={useBusiness()} rows={4}>
        {({ best_products: rows, today }) =>
          rows.length === 0 ? (
            <Empty title={t('home.noSales')} />
          ) : (
            <Table
              label={t('home.best')}
              columns={columnsOf(t, today.margin !== null)}
              rows={rows}
              keyOf={({ sku }) => sku}
              linkOf={({ sku }) => ({ to: '/products/$sku', params: { sku } })}
            />
          )
        }
      </Answered>
    </Section>
  );
}

const columnsOf = (t: Translate, seesMargin: boolean): Column<Best>[] => [
  {
    id: 'name',
    head: t('home.product'),
    cell: ({ name, sku }) => <Stack below={<span className="mono">{sku}</span>}>{name}</Stack>,
    card: 'title',
  },
  {
    id: 'units',
    head: t('home.units'),
    cell: ({ units }) => <span className="number">{units}</span>,
    align: 'end',
    card: 'hidden',
  },
  {
    id: 'sales',
    head: `${t('home.sales')} · THB`,
    cell: ({ sales }) => <Amount value={sales} currency={null} />,
    align: 'end',
    card: 'corner',
  },
  ...(seesMargin ? [marginOf(t)] : []),
];

const marginOf = (t: Translate): Column<Best> => ({
  id: 'margin',
  head: `${t('home.margin')} · THB`,
  cell: ({ margin, margin_percent: percent }) =>
    margin === null || percent === null ? (
      <span className="muted">{t('home.noCost')}</span>
    ) : (
      <>
        <Amount value={margin} currency={null} /> <span className="number muted">{percent.toFixed(1)}%</span>
      </>
    ),
  align: 'end',
});
