import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { APPROVAL_STATUSES } from '../../choices';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount, formatAmount, readAmount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Ago, Moment } from '../../kit/moment';
import { Facts, Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useSession } from '../../session';
import { MerchantLink } from '../merchants/merchant-link';
import type { ApprovalView } from './approval-view';
import { Decide, Movement, paymentFactsOf, useDecision } from './decide';

/** Requests to move money that wait for a second person, and earlier ones. */
export function Approvals(): ReactNode {
  const t = useT();
  const { cursor, ...filters } = useSearch({ from: '/shell/approvals' });
  const params = { ...filters, cursor };
  const query = usePolled({
    queryKey: ['approvals', params],
    queryFn: ({ signal }) => ask(() => client.GET('/api/approvals', { params: { query: params }, signal })),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const [decide, dialog] = useDecision();
  const choices = APPROVAL_STATUSES.map((value) => ({ value, label: t(`status.approval_${value}`) }));
  return (
    <Page title={t('nav.approvals')} actions={<LiveButton />}>
      <Filters
        filters={[
          { name: 'status', label: t('approvals.status'), choices, several: true },
          { name: 'merchant', label: t('approvals.merchantId'), several: true },
        ]}
        values={filters}
      />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('nav.approvals')}
                columns={[...columnsOf(t), decideColumn(t, decide)]}
                rows={data}
                keyOf={({ id }) => String(id)}
                moreOf={(approval) => <More approval={approval} />}
              />
            ) : (
              <None isFiltered={Object.values(filters).some((value) => value !== undefined)} />
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
      {dialog}
    </Page>
  );
}

function None({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const t = useT();
  const limit = useSession()?.approval_above ?? null;
  if (isFiltered) return <Empty title={t('list.noMatch')}>{t('list.noMatchHint')}</Empty>;
  return (
    <Empty title={t('approvals.none')}>
      {limit === null ? t('approvals.off') : t('approvals.noneHint', { limit: formatAmount(limit) })}
    </Empty>
  );
}

const columnsOf = (t: Translate): Column<ApprovalView>[] => [
  {
    id: 'movement',
    head: t('approvals.movement'),
    cell: (approval) => <Movement approval={approval} />,
    card: 'title',
  },
  {
    id: 'status',
    head: t('approvals.status'),
    cell: ({ status }) => <Status of={`approval_${status}`} />,
    card: 'corner',
  },
  {
    id: 'merchant',
    head: t('approvals.merchant'),
    cell: ({ merchant }) => merchant && <MerchantLink merchant={merchant} />,
    isCut: true,
  },
  {
    id: 'reference',
    head: t('move.reference'),
    cell: ({ reference }) => <span title={reference}>{reference}</span>,
    isCut: true,
    from: 1120,
  },
  {
    id: 'who',
    head: t('approvals.requestedBy'),
    cell: ({ requested_by: who }) => <span title={who}>{who}</span>,
    isCut: true,
  },
  {
    id: 'at',
    head: t('approvals.since'),
    cell: ({ created_at: at }) => <Ago at={at} />,
    align: 'end',
    from: 1000,
  },
];

const decideColumn = (t: Translate, onDecide: ReturnType<typeof useDecision>[0]): Column<ApprovalView> => ({
  id: 'decide',
  head: <span className="hidden">{t('approvals.actions')}</span>,
  cell: (approval) => <Decide approval={approval} onDecide={onDecide} />,
  align: 'end',
});

/** The details of a request, and its decision. */
function More({ approval }: { approval: ApprovalView }): ReactNode {
  const t = useT();
  const { status, decided_by: decider, decided_at: decidedAt, missing } = approval;
  return (
    <Facts
      facts={[
        [t('approvals.reason'), approval.reason],
        [t('move.reference'), approval.reference],
        ...paymentFactsOf(approval, t),
        approval.note === null ? null : [t('move.note'), approval.note],
        [t('approvals.at'), <Moment key="at" at={approval.created_at} />],
        decider === null || decidedAt === null
          ? [t('approvals.expires'), <Moment key="expires" at={approval.expires_at} />]
          : [
              t(`status.approval_${status}`),
              <span key="decided">
                <Moment at={decidedAt} /> · {decider}
              </span>,
            ],
        missing === null || readAmount(missing) === 0n
          ? null
          : [t('approvals.notTaken'), <Amount key="missing" value={missing} />],
        approval.decision_reason === null ? null : [t('approvals.why'), approval.decision_reason],
      ]}
    />
  );
}
