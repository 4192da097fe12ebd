import { Button } from '@mantine/core';
import { Link, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Badge } from '../../kit/badge';
import { Filters } from '../../kit/filters';
import { lazyPart } from '../../kit/lazy-part';
import { EVERY, usePolled } from '../../kit/live';
import { Ago } from '../../kit/moment';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import type { CatalogueItem, SupplierDetail } from './supplier-view';
import { SyncCatalogue } from './sync-catalogue';
import classes from './supplier.module.css';

const MapProduct = lazyPart(async () => (await import('./map-product')).MapProduct);

/** The catalogue of a supplier, as of its last sync. */
export function Catalogue({ supplier: { code, catalogue_read_at: readAt } }: { supplier: SupplierDetail }): ReactNode {
  const t = useT();
  const mayMap = useMay('offers.set');
  const [mapping, setMapping] = useState<CatalogueItem | null>(null);
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
        <SyncState code={code} readAt={readAt} />
      </div>
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('suppliers.catalogue')}
                columns={[...columnsOf(t), mappedColumn(t, mayMap ? setMapping : null)]}
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
      {mapping && <MapProduct supplier={code} item={mapping} onClose={() => setMapping(null)} />}
    </>
  );
}

/** When the last sync was, and a button for the next one. */
function SyncState({ code, readAt }: { code: string; readAt: string | null }): ReactNode {
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

const columnsOf = (t: Translate): Column<CatalogueItem>[] => [
  {
    id: 'sku',
    head: t('suppliers.theirSku'),
    cell: ({ supplier_sku: sku }) => <span className="mono">{sku}</span>,
    card: 'title',
  },
  {
    id: 'name',
    head: t('suppliers.name'),
    cell: ({ name, is_new: isNew }) => (
      <>
        {name} {isNew && <Badge>{t('suppliers.isNew')}</Badge>}
      </>
    ),
  },
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
    cell: ({ available, gone_at: gone }) =>
      gone === null ? (
        t(available ? 'suppliers.availableYes' : 'suppliers.availableNo')
      ) : (
        <span className="muted">
          {t('suppliers.gone')} <Ago at={gone} />
        </span>
      ),
    card: 'corner',
  },
];

/** @param map opens the dialog that adds an offer. Null without the permission. */
const mappedColumn = (t: Translate, map: ((item: CatalogueItem) => void) | null): Column<CatalogueItem> => ({
  id: 'mapped',
  head: t('suppliers.mappedTo'),
  cell: (item) => {
    const { mapped_to: sku, supplier_sku: theirs, gone_at: gone } = item;
    if (sku !== null) {
      return (
        <Link to="/products/$sku" params={{ sku }} className="mono">
          {sku}
        </Link>
      );
    }
    return (
      map !== null &&
      gone === null && (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`${t('suppliers.map')}: ${theirs}`}
          onClick={() => map(item)}
        >
          {t('suppliers.map')}
        </Button>
      )
    );
  },
});
