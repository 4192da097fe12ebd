import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useT, useWords, type Translate } from '../../i18n/words';
import { AddButton } from '../../kit/add-button';
import { formatAmount } from '../../kit/amount';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age, Ago } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { formatMs, formatNumber, formatShare } from './numbers';
import { SupplierSettings } from './parts';
import { PauseSupplier, ResumeSupplier } from './pause';
import { callsOf, doubtOf, inFlightOf, suppliersQuery, type ListedSupplier } from './supplier-view';

/** All suppliers with their health. */
export function Suppliers(): ReactNode {
  const t = useT();
  const { language } = useWords();
  const mayPause = useMay('suppliers.pause');
  const maySet = useMay('suppliers.set');
  const query = usePolled({ ...suppliersQuery, every: EVERY.figures });
  const add = maySet && (
    <AddButton label={t('suppliers.add')}>{(close) => <SupplierSettings onClose={close} />}</AddButton>
  );
  return (
    <Page
      title={t('nav.suppliers')}
      actions={
        <>
          <LiveButton />
          {add}
        </>
      }
    >
      <Answered query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={t('suppliers.none')} action={add}>
              {t('suppliers.noneWhy')}
            </Empty>
          ) : (
            <Table
              label={t('nav.suppliers')}
              columns={[...columnsOf(t, language), ...(mayPause ? [pauseColumn(t)] : [])]}
              rows={data}
              keyOf={({ code }) => code}
              linkOf={({ code }) => ({ to: '/suppliers/$code', params: { code }, search: {} })}
            />
          )
        }
      </Answered>
    </Page>
  );
}

const columnsOf = (t: Translate, language: string): Column<ListedSupplier>[] => [
  { id: 'code', head: t('suppliers.code'), cell: ({ code }) => code, card: 'title' },
  { id: 'state', head: t('suppliers.state'), cell: ({ state }) => <Status of={state} />, card: 'corner' },
  {
    id: 'balance',
    head: t('suppliers.balance'),
    cell: ({ balance }) =>
      balance && (
        <span className="number">
          {formatAmount(balance.amount)} <span className="muted">{balance.currency}</span>
        </span>
      ),
    align: 'end',
  },
  {
    id: 'asked',
    head: t('suppliers.balanceAt'),
    cell: ({ balance }) => balance && <Ago at={balance.at} />,
    card: 'hidden',
    from: 1120,
  },
  ...activityColumnsOf(t, language),
];

const activityColumnsOf = (t: Translate, language: string): Column<ListedSupplier>[] => [
  {
    id: 'inFlight',
    head: t('suppliers.inFlight'),
    cell: (supplier) => <span className="number">{formatNumber(inFlightOf(supplier), language)}</span>,
    align: 'end',
    card: 'hidden',
    from: 1000,
  },
  {
    id: 'calls',
    head: t('suppliers.perMinute'),
    cell: ({ calls }) => <span className="number">{formatNumber(callsOf(calls) / calls.minutes, language)}</span>,
    align: 'end',
  },
  {
    id: 'doubt',
    head: t('suppliers.inDoubt'),
    cell: ({ calls }) => <span className="number">{formatShare(doubtOf(calls), language)}</span>,
    align: 'end',
  },
  {
    id: 'duration',
    head: t('suppliers.durations'),
    cell: ({ calls: { p50_ms: p50, p95_ms: p95 } }) =>
      p50 !== null && (
        <span className="number">
          {formatMs(p50, language)} · {formatMs(p95, language)}
        </span>
      ),
    align: 'end',
    from: 1120,
  },
  {
    id: 'queue',
    head: t('suppliers.queue'),
    cell: ({ queue: { due, oldest_at } }) => (
      <span className="number">
        {formatNumber(due, language)}
        {oldest_at !== null && (
          <span className="muted">
            {' · '}
            <Age from={oldest_at} />
          </span>
        )}
      </span>
    ),
    align: 'end',
  },
];

const pauseColumn = (t: Translate): Column<ListedSupplier> => ({
  id: 'pause',
  head: <span className="hidden">{t('suppliers.actions')}</span>,
  cell: (supplier) => <PauseButton supplier={supplier} />,
  align: 'end',
});

/** Pauses the supplier, or resumes it when it is paused. */
export function PauseButton({
  supplier: { code, pause },
  size = 'compact-xs',
}: {
  supplier: ListedSupplier;
  size?: 'xs' | 'compact-xs';
}): ReactNode {
  const t = useT();
  const [dialog, setDialog] = useState<'pause' | 'resume' | null>(null);
  const close = (): void => setDialog(null);
  const name = t(pause ? 'suppliers.resumeOne' : 'suppliers.pauseOne', { supplier: code });
  return (
    <>
      <Button size={size} variant="default" aria-label={name} onClick={() => setDialog(pause ? 'resume' : 'pause')}>
        {size === 'xs' ? name : t(pause ? 'suppliers.resume' : 'suppliers.pause')}
      </Button>
      {dialog === 'pause' && <PauseSupplier code={code} onClose={close} />}
      {dialog === 'resume' && <ResumeSupplier code={code} onClose={close} />}
    </>
  );
}
