import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { Ago } from '../../kit/moment';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import type { components } from '../../schema';
import { useMay } from '../../session';
import type { SupplierDetail } from './supplier-view';
import { SyncCatalogue } from './sync-catalogue';
import classes from './supplier.module.css';

type Item = components['schemas']['SupplierProductDto'];

/** What a supplier sells, as it was last read. */
export function Catalogue({
  supplier: { code, catalogue_read_at: readAt },
}: {
  supplier: SupplierDetail;
}): ReactNode {
  const t = useT();
  const { q, unmapped, cursor } = useSearch({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['suppliers', code, 'products', { q, unmapped }, cursor],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/suppliers/{code}/products', {
          params: { path: { code }, query: { q, unmapped, cursor } },
          signal,
        }),
      ),
    every: EVERY.rest,
  });
  return (
    <>
      <div className={classes.bar}>
        <Filters
          filters={[
            { name: 'q', label: t('suppliers.match') },
            {
              name: 'unmapped',
              label: t('suppliers.unmapped'),
              choices: [{ value: 'true', label: t('suppliers.unmappedOnly') }],
            },
          ]}
          values={{ q, unmapped }}
        />
        <Reading code={code} readAt={readAt} />
      </div>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('suppliers.catalogue')}
                columns={columnsOf(t)}
                rows={data}
                keyOf={({ supplier_sku }) => supplier_sku}
              />
            ) : (
              <Empty title={t(q || unmapped ? 'suppliers.noMatch' : 'suppliers.noProducts')} />
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}

/** When it was read, and the button that reads it now. */
function Reading({ code, readAt }: { code: string; readAt: string | null }): ReactNode {
  const t = useT();
  const maySync = useMay('suppliers.sync');
  const [isSyncing, setSyncing] = useState(false);
  return (
    <span className={classes.read}>
      {readAt === null ? (
        t('suppliers.neverRead')
      ) : (
        <>
          {t('suppliers.readAt')} <Ago at={readAt} />
        </>
      )}
      {maySync && (
        <Button size="xs" variant="default" onClick={() => setSyncing(true)}>
          {t('suppliers.sync')}
        </Button>
      )}
      {isSyncing && <SyncCatalogue code={code} onClose={() => setSyncing(false)} />}
    </span>
  );
}

const columnsOf = (t: Translate): Column<Item>[] => [
  {
    id: 'sku',
    head: t('suppliers.theirSku'),
    cell: ({ supplier_sku: sku }) => <span className="mono">{sku}</span>,
    card: 'title',
  },
  { id: 'name', head: t('suppliers.name'), cell: ({ name }) => name },
  { id: 'group', head: t('suppliers.group'), cell: ({ group }) => group, from: 1000 },
  {
    id: 'cost',
    head: t('suppliers.cost'),
    cell: ({ cost, currency }) =>
      cost !== null && (
        <span className="number">
          {formatAmount(cost)} <span className="muted">{currency}</span>
        </span>
      ),
    align: 'end',
  },
  {
    id: 'available',
    head: t('suppliers.available'),
    cell: ({ available }) => t(available ? 'suppliers.availableYes' : 'suppliers.availableNo'),
    card: 'corner',
  },
  {
    id: 'mapped',
    head: t('suppliers.mappedTo'),
    cell: ({ mapped_to: sku }) => sku !== null && <span className="mono">{sku}</span>,
  },
];
