import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { PlusIcon } from '../../kit/icons';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import type { components } from '../../schema';
import { useMay } from '../../session';
import { SetRate } from './set-rate';
import classes from './prices.module.css';

type Rate = components['schemas']['FxRateDto'];

/** The exchange rates of suppliers' currencies, and their effect on margins. */
export function Fx(): ReactNode {
  const t = useT();
  const { language } = useWords();
  const maySet = useMay('fx.set');
  const seesCosts = useMay('costs.read');
  // The currency in the dialog. Empty for a new currency, null while the dialog is closed.
  const [open, setOpen] = useState<string | null>(null);
  const query = usePolled({
    queryKey: ['fx'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/fx', { signal })),
    every: EVERY.rest,
  });
  return (
    <Page
      title={t('nav.fx')}
      actions={
        maySet && (
          <Button size="xs" leftSection={<PlusIcon />} onClick={() => setOpen('')}>
            {t('fx.add')}
          </Button>
        )
      }
    >
      <Answered query={query} rows={3}>
        {({ data, missing }) => (
          <>
            {missing.length > 0 && (
              <p className={classes.alarm}>{t('fx.missing', { currencies: missing.join(', ') })}</p>
            )}
            {data.length === 0 && <Empty title={t('fx.none')}>{t('fx.noneHint')}</Empty>}
            {data.length > 0 && (
              <Table
                label={t('nav.fx')}
                columns={[...columnsOf(t, language, seesCosts), ...(maySet ? [actionColumn(t, setOpen)] : [])]}
                rows={data}
                keyOf={({ currency }) => currency}
              />
            )}
          </>
        )}
      </Answered>
      {open !== null && <SetRate currency={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

const columnsOf = (t: Translate, language: string, seesCosts: boolean): Column<Rate>[] => [
  {
    id: 'currency',
    head: t('fx.currency'),
    cell: ({ currency }) => <span className="mono">{currency}</span>,
    card: 'title',
  },
  {
    id: 'state',
    head: t('fx.state'),
    cell: ({ is_fresh: isFresh }) => <Status of={isFresh ? 'rate_fresh' : 'rate_stale'} />,
    card: 'corner',
  },
  {
    id: 'rate',
    head: t('fx.rate'),
    cell: ({ rate }) => <span className="number">{rate}</span>,
    align: 'end',
  },
  { id: 'from', head: t('fx.validFrom'), cell: ({ valid_from: from }) => <Moment at={from} form="short" /> },
  {
    id: 'products',
    head: t('fx.products'),
    cell: ({ products }) => <span className="number">{products}</span>,
    align: 'end',
  },
  ...(seesCosts
    ? [
        {
          id: 'margin',
          head: t('fx.margin'),
          cell: ({ margin_percent: margin }: Rate) =>
            margin !== null && <span className="number">{new Intl.NumberFormat(language).format(margin)}%</span>,
          align: 'end' as const,
        },
      ]
    : []),
];

const actionColumn = (t: Translate, open: (currency: string) => void): Column<Rate> => ({
  id: 'set',
  head: <span className="hidden">{t('fx.set')}</span>,
  cell: ({ currency }) => (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`${t('fx.set')} ${currency}`}
      onClick={() => open(currency)}
    >
      {t('fx.set')}
    </Button>
  ),
  align: 'end',
});
