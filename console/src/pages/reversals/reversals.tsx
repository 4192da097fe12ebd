import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { Reveal, RevealButton } from '../orders/reveal-code';
import { CloseReversal } from './close-reversal';
import { nameOf, type Reversal } from './reversal-view';

interface Deciding {
  what: 'close' | 'reveal';
  reversal: Reversal;
}

/** The discrepancies: a supplier contradicts the books. */
export function Reversals(): ReactNode {
  const t = useT();
  const { cursor, ...filters } = useSearch({ from: '/shell/reversals' });
  const query = usePolled({
    queryKey: ['reversals', filters, cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/reversals', { params: { query: { ...filters, cursor } }, signal })),
    every: EVERY.list,
  });
  const mayClose = useMay('reversals.close');
  const mayReveal = useMay('codes.reveal');
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  // Here and not in its row, because a refresh may take the row away while the operator types.
  const [deciding, setDeciding] = useState<Deciding | null>(null);
  const close = (): void => setDeciding(null);
  return (
    <Page title={t('reversals.title')} actions={<LiveButton />}>
      <Filters
        filters={[
          {
            name: 'open',
            label: t('reversals.which'),
            choices: [{ value: 'true', label: t('reversals.openOnly') }],
          },
          { name: 'supplier', label: t('reversals.supplier'), several: true },
        ]}
        values={filters}
      />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('reversals.title')}
                columns={[
                  ...columnsOf(t),
                  ...(mayReveal && data.some(hasCode) ? [codeColumn(t, setDeciding)] : []),
                  ...(mayClose ? [closeColumn(t, setDeciding)] : []),
                ]}
                rows={data}
                keyOf={({ id }) => String(id)}
              />
            ) : (
              <Empty title={t(isFiltered ? 'reversals.noMatch' : 'reversals.none')}>{t('reversals.why')}</Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
      {deciding?.what === 'close' && <CloseReversal reversal={deciding.reversal} onClose={close} />}
      {deciding?.what === 'reveal' && (
        <Reveal
          number={nameOf(deciding.reversal)}
          unit={deciding.reversal.unit ?? ''}
          caseId={deciding.reversal.id}
          onClose={close}
        />
      )}
    </Page>
  );
}

const columnsOf = (t: Translate): Column<Reversal>[] => [
  {
    id: 'order',
    head: t('reversals.order'),
    cell: (reversal) => <About reversal={reversal} />,
    card: 'title',
  },
  { id: 'supplier', head: t('reversals.supplier'), cell: ({ supplier }) => supplier },
  { id: 'kind', head: t('reversals.kind'), cell: ({ kind }) => t(`reversals.kind.${kind}`) },
  {
    id: 'detail',
    head: t('reversals.detail'),
    cell: ({ detail }) => detail,
    isCut: true,
    card: 'hidden',
    from: 1300,
  },
  {
    id: 'amount',
    head: t('reversals.amount'),
    cell: ({ amount, currency }) =>
      amount !== null && (
        <span className="number">
          {formatAmount(amount)} <span className="muted">{currency}</span>
        </span>
      ),
    align: 'end',
    from: 1000,
  },
  {
    id: 'since',
    head: t('reversals.since'),
    cell: ({ created_at: at }) => <Age from={at} />,
    align: 'end',
  },
];

/** The unit, with a link unless its order is archived. For an unknown purchase, what its supplier reported. */
function About({ reversal }: { reversal: Reversal }): ReactNode {
  const t = useT();
  const { order_number: number, unit, archived, supplier_sku: sku, player } = reversal;
  if (number === null) {
    const what = [sku, player].filter((part) => part !== null).join(' · ');
    return (
      <>
        <span className="mono">{nameOf(reversal)}</span> <span className="muted">{what}</span>
      </>
    );
  }
  if (archived)
    return (
      <>
        <span className="mono">{number}</span>{' '}
        <span className="muted">{[unit, t('reversals.archived')].join(' · ')}</span>
      </>
    );
  return (
    <>
      <Link to="/orders/$number" params={{ number }} search={{}} data-row-link="">
        <span className="mono">{number}</span>
      </Link>{' '}
      <span className="muted">{unit}</span>
    </>
  );
}

const hasCode = ({ handed_over, unit }: Reversal): boolean => handed_over && unit !== null;

type OnDecide = (deciding: Deciding) => void;

const codeColumn = (t: Translate, onDecide: OnDecide): Column<Reversal> => ({
  id: 'code',
  head: t('item.code'),
  cell: (reversal) => hasCode(reversal) && <RevealButton onClick={() => onDecide({ what: 'reveal', reversal })} />,
});

const closeColumn = (t: Translate, onDecide: OnDecide): Column<Reversal> => ({
  id: 'close',
  head: <span className="hidden">{t('reversals.actions')}</span>,
  cell: (reversal) =>
    reversal.status === 'closed' ? (
      <span className="muted">{t('reversals.closed')}</span>
    ) : (
      <Button size="compact-xs" variant="default" onClick={() => onDecide({ what: 'close', reversal })}>
        {t('reversals.close')}
      </Button>
    ),
  align: 'end',
});
