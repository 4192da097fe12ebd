import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { startOfDay } from '../../i18n/moments';
import { useWords } from '../../i18n/words';
import { CsvButton } from '../../kit/csv-button';
import { Filters } from '../../kit/filters';
import { scopeOf, useFreshRows } from '../../kit/fresh-rows';
import { EVERY, usePolled } from '../../kit/live';
import { FreshButton, LiveButton } from '../../kit/live-controls';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { WithSidePanel } from '../../kit/side-panel';
import { Answered, Empty } from '../../kit/states';
import { useMay } from '../../session';
import { DeliveryPanel } from './delivery-panel';
import { deliveryFilters, DeliveryTable } from './delivery-table';
import { WebhookTabs } from './webhook-tabs';
import type { DeliveryView } from './webhook-view';

/** Deliveries to all webhooks, newest first. */
export function Deliveries(): ReactNode {
  const { t, zone } = useWords();
  const navigate = useNavigate({ from: '/deliveries' });
  const { cursor, delivery, ...filters } = useSearch({ from: '/shell/deliveries' });
  const params = { ...filters, cursor, from: filters.from && startOfDay(filters.from, zone) };
  const query = usePolled({
    queryKey: ['deliveries', params],
    queryFn: ({ signal }) => ask(() => client.GET('/api/deliveries', { params: { query: params }, signal })),
    every: cursor === undefined ? EVERY.list : EVERY.rest,
  });
  const mayExport = useMay('exports.run');
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const show = (id: string | undefined): void =>
    void navigate({ to: '/deliveries', search: (search) => ({ ...search, delivery: id }), replace: true });
  return (
    <Page
      title={t('deliveries.title')}
      actions={
        <>
          <LiveButton />
          {mayExport && <CsvButton path="/api/deliveries.csv" query={{ ...params, cursor: undefined }} />}
        </>
      }
    >
      <WebhookTabs />
      <Filters
        filters={[...deliveryFilters(t), { name: 'merchant', label: t('order.merchantId'), several: true }]}
        values={filters}
      />
      <WithSidePanel of={delivery} panel={(id) => <DeliveryPanel id={id} isOfAll onClose={() => show(undefined)} />}>
        <Answered query={query}>
          {({ data, next_cursor }) => (
            <>
              <List rows={data} scope={scopeOf(query, params)} isFirst={cursor === undefined} />
              {data.length === 0 && (
                <Empty title={t(isFiltered ? 'list.noMatch' : 'deliveries.none')}>
                  {t(isFiltered ? 'list.noMatchHint' : 'deliveries.noneHint')}
                </Empty>
              )}
              <Pages next={next_cursor} />
            </>
          )}
        </Answered>
      </WithSidePanel>
    </Page>
  );
}

const keyOf = ({ id }: DeliveryView): string => String(id);

function List({ rows, scope, isFirst }: { rows: DeliveryView[]; scope: string; isFirst: boolean }): ReactNode {
  const fresh = useFreshRows(rows, keyOf, scope);
  const { delivery } = useSearch({ from: '/shell/deliveries' });
  if (rows.length === 0) return null;
  return (
    <>
      {isFirst && <FreshButton count={fresh.freshCount} onShow={fresh.showFresh} />}
      <DeliveryTable
        rows={isFirst ? [...fresh.rows] : rows}
        isNarrow={delivery !== undefined}
        linkOf={({ id }) => ({
          to: '/deliveries',
          search: (search: object) => ({ ...search, delivery: String(id) }),
        })}
      />
    </>
  );
}
