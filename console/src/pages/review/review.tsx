import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { REVIEW_STATES } from '../../choices';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { detailInWords } from '../../kit/call-detail';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { LiveButton } from '../../kit/live-controls';
import { Age } from '../../kit/moment';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Stack, Table, type Column } from '../../kit/table';
import { toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { SelectionBar } from './selection-bar';
import { fits, keyOf, othersOf, useSelection, type ReviewUnit, type Selection } from './selection';
import classes from './review.module.css';

/** The review queue, and units in doubt that may still settle without a decision. */
export function Review(): ReactNode {
  const t = useT();
  const { cursor, ...filters } = useSearch({ from: '/shell/review' });
  const query = usePolled({
    queryKey: ['review', filters, cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/review', { params: { query: { ...filters, cursor } }, signal })),
    every: EVERY.list,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const mayResolve = useMay('orders.resolve');
  const selection = useSelection();
  return (
    <Page title={t('nav.review')} actions={<LiveButton />}>
      <Filters
        filters={[
          {
            name: 'state',
            label: t('review.state'),
            choices: REVIEW_STATES.map((value) => ({
              value,
              label: t(`status.${value}`),
            })),
            several: true,
          },
          { name: 'supplier', label: t('order.supplier'), several: true },
        ]}
        values={filters}
      />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 && (
              <Table
                label={t('nav.review')}
                columns={[...(mayResolve ? [selectColumn(t, selection, data)] : []), ...columnsOf(t, mayResolve)]}
                rows={data}
                keyOf={keyOf}
                linkOf={({ order_number }) => ({ to: '/orders/$number', params: { number: order_number } })}
              />
            )}
            {data.length === 0 && (
              <Empty title={t(isFiltered ? 'list.noMatch' : 'review.none')}>
                {t(isFiltered ? 'list.noMatchHint' : 'review.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
            {mayResolve && <SelectionBar selection={selection} shown={data} />}
          </>
        )}
      </Answered>
    </Page>
  );
}

/** Checkboxes that select units for one decision. */
const selectColumn = (t: Translate, selection: Selection, shown: readonly ReviewUnit[]): Column<ReviewUnit> => ({
  id: 'select',
  head: t('resolveMany.select'),
  headAction: <SelectAll selection={selection} shown={shown} />,
  cell: (row) => {
    const { selected, has, toggle } = selection;
    const isSelectable = has(row) || fits(selected, row);
    return (
      <input
        type="checkbox"
        className={classes.checkbox}
        aria-label={t('resolveMany.selectUnit', { unit: row.unit, number: row.order_number })}
        title={isSelectable ? undefined : t('resolveMany.oneSupplier')}
        checked={has(row)}
        disabled={!isSelectable}
        onChange={() => toggle(row)}
      />
    );
  },
});

/** Selects all units of the page that can be decided together, and clears the selection if it has them all. */
function SelectAll({ selection, shown }: { selection: Selection; shown: readonly ReviewUnit[] }): ReactNode {
  const t = useT();
  const { selected, add, clear } = selection;
  const others = othersOf(selection, shown);
  const supplier = (selected[0] ?? shown[0])?.supplier ?? '';
  const isAll = selected.length > 0 && others.length === 0;
  return (
    <input
      type="checkbox"
      className={classes.checkbox}
      aria-label={t('resolveMany.selectAll', { supplier })}
      title={t('resolveMany.selectAll', { supplier })}
      checked={isAll}
      ref={(box) => {
        if (box) box.indeterminate = selected.length > 0 && !isAll;
      }}
      onChange={() => (isAll ? clear() : add(others))}
    />
  );
}

const columnsOf = (t: Translate, mayResolve: boolean): Column<ReviewUnit>[] => [
  { id: 'state', head: t('review.state'), cell: ({ state }) => <Status of={state} />, card: 'corner' },
  {
    id: 'order',
    head: t('review.unit'),
    cell: ({ order_number, unit }) => (
      <span className="mono">
        {order_number} ·&nbsp;{unit}
      </span>
    ),
    card: 'title',
  },
  {
    id: 'supplier',
    head: `${t('order.supplier')} · ${t('order.sku')}`,
    cell: ({ supplier, sku }) => <Stack below={<span className="mono">{sku}</span>}>{supplier}</Stack>,
  },
  { id: 'amount', head: t('order.amount'), cell: ({ amount }) => <Amount value={amount} />, align: 'end' },
  { id: 'since', head: t('review.since'), cell: ({ since }) => since && <Age from={since} />, align: 'end' },
  {
    id: 'answer',
    head: t('review.lastAnswer'),
    cell: ({ last_call, inquiries }) => <LastCall call={last_call} inquiries={inquiries} />,
    card: 'hidden',
    isCut: true,
  },
  ...(mayResolve ? [{ id: 'claim', head: t('review.who'), cell: (row: ReviewUnit) => <Claim row={row} /> }] : []),
];

/** The last answer of the supplier, and the number of inquiries. */
function LastCall({ call, inquiries }: { call: ReviewUnit['last_call']; inquiries: number }): ReactNode {
  const t = useT();
  if (call === null) return t('review.noAnswer');
  const detail = call.detail === null ? undefined : detailInWords(call.detail, t);
  const answer = detail ?? t.maybe(`status.${call.outcome}`) ?? call.outcome;
  return <span title={answer}>{t('review.answerAfter', { answer, count: inquiries })}</span>;
}

/** Claims the unit for ten minutes, so that two operators do not handle it at once. */
function Claim({ row }: { row: ReviewUnit }): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { order_number: number, unit, claim: current } = row;
  const claim = useMutation({
    mutationFn: () =>
      ask(() => client.PUT('/api/review/{number}/{unit}/claim', { params: { path: { number, unit } } })),
    onSuccess: () => navigate({ to: '/orders/$number', params: { number }, search: { resolve: unit } }),
    onError: (error) => {
      toastFailure(error);
      void queries.invalidateQueries({ queryKey: ['review'] });
    },
  });
  return (
    <span className={classes.claim}>
      {current !== null && !current.is_mine && (
        <span className="muted">{t('review.claimedBy', { name: current.by })}</span>
      )}
      <Button size="compact-xs" variant="default" loading={claim.isPending} onClick={() => claim.mutate()}>
        {t('resolve.open')}
      </Button>
    </span>
  );
}
