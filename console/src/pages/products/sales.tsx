import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { startOfDay } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { formatAmount, readAmount, writeAmount } from '../../kit/amount';
import { Chart } from '../../kit/chart';
import { EVERY, usePolled } from '../../kit/live';
import { Answered } from '../../kit/states';
import type { components } from '../../schema';

type Day = components['schemas']['DayOfSalesDto'];

/** The units of thirty days, with failed ones stacked on the others. */
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
  const { zone } = useWords();
  const count = days.reduce((sum, { sold }) => sum + sold, 0);
  const isNothing = days.every(({ sold, failed }) => sold + failed === 0);
  if (isNothing) return <p className="muted">{t('productSales.none')}</p>;
  const total = days.reduce((sum, { revenue }) => sum + (readAmount(revenue) ?? 0n), 0n);
  return (
    <>
      <p>{t('productSales.total', { count, revenue: formatAmount(writeAmount(total)) })}</p>
      <Chart
        label={t('productSales.title')}
        kind="bars"
        isWhole
        at={days.map(({ day }) => startOfDay(day, zone))}
        series={[
          { name: t('productSales.sold'), tone: 'accent', values: days.map(({ sold }) => sold) },
          { name: t('productSales.failed'), tone: 'bad', values: days.map(({ failed }) => failed) },
        ]}
        column={{
          name: `${t('productSales.revenue')} · THB`,
          texts: days.map(({ revenue }) => formatAmount(revenue)),
        }}
      />
    </>
  );
}
