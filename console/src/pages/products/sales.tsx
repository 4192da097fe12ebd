import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords } from '../../i18n/words';
import { Amount, formatAmount } from '../../kit/amount';
import { EVERY, usePolled } from '../../kit/live';
import { Answered } from '../../kit/states';
import { Table } from '../../kit/table';
import type { components } from '../../schema';
import classes from './sales.module.css';

type Day = components['schemas']['DayOfSalesDto'];

/** The sales of thirty days, as bars and as a table. */
export function Sales({ sku }: { sku: string }): ReactNode {
  const query = usePolled({
    queryKey: ['product', sku, 'sales'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/products/{sku}/sales', { params: { path: { sku } }, signal })),
    every: EVERY.rest,
  });
  return (
    <Answered query={query} rows={3}>
      {({ days }) => <Days days={days} />}
    </Answered>
  );
}

function Days({ days }: { days: Day[] }): ReactNode {
  const t = useT();
  const [isTable, setTable] = useState(false);
  const count = days.reduce((sum, { sold }) => sum + sold, 0);
  const isNothing = days.every(({ sold, failed }) => sold + failed === 0);
  if (isNothing) return <p className="muted">{t('productSales.none')}</p>;
  const satang = days.reduce((sum, { revenue }) => sum + BigInt(revenue.replace('.', '')), 0n);
  const total = `${satang / 100n}.${String(satang % 100n).padStart(2, '0')}`;
  return (
    <>
      <div className={classes.head}>
        <p>{t('productSales.total', { count, revenue: formatAmount(total) })}</p>
        <Button size="compact-xs" variant="subtle" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
          {t('productSales.table')}
        </Button>
      </div>
      <Bars days={days} />
      {isTable && (
        <Table
          label={t('productSales.title')}
          columns={[
            {
              id: 'day',
              head: t('productSales.day'),
              cell: ({ day }) => <span className="number">{day}</span>,
              card: 'title',
            },
            {
              id: 'sold',
              head: t('productSales.sold'),
              cell: ({ sold }) => <span className="number">{sold}</span>,
              align: 'end',
            },
            {
              id: 'failed',
              head: t('productSales.failed'),
              cell: ({ failed }) => <span className="number">{failed}</span>,
              align: 'end',
            },
            {
              id: 'revenue',
              head: t('productSales.revenue'),
              cell: ({ revenue }) => <Amount value={revenue} />,
              align: 'end',
            },
          ]}
          rows={days.toReversed()}
          keyOf={({ day }) => day}
        />
      )}
    </>
  );
}

const HEIGHT = 90;
const WIDTH = 20;

/** One bar for each day, with failed units stacked on sold ones. */
function Bars({ days }: { days: Day[] }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const highest = Math.max(...days.map(({ sold, failed }) => sold + failed), 1);
  const scale = (units: number): number => (units / highest) * HEIGHT;
  const number = new Intl.NumberFormat(language);
  return (
    <svg
      className={classes.bars}
      viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT + 1}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {days.map(({ day, sold, failed }, index) => (
        <g key={day}>
          <title>
            {`${day}: ${t('productSales.sold')} ${number.format(sold)}, ${t('productSales.failed')} ${number.format(failed)}`}
          </title>
          <rect x={index * WIDTH} y={0} width={WIDTH} height={HEIGHT} className={classes.ground} />
          <rect
            x={index * WIDTH + 2}
            y={HEIGHT - scale(sold)}
            width={WIDTH - 4}
            height={scale(sold)}
            className={classes.sold}
          />
          <rect
            x={index * WIDTH + 2}
            y={HEIGHT - scale(sold + failed)}
            width={WIDTH - 4}
            height={scale(failed)}
            className={classes.failed}
          />
        </g>
      ))}
    </svg>
  );
}
