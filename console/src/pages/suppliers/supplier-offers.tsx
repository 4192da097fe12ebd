import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { offerStateOf, type OfferView } from '../products/product-view';
import classes from './supplier.module.css';

/** The offers of a supplier. Each links to its product, where operators change it. */
export function SupplierOffers({ code }: { code: string }): ReactNode {
  const t = useT();
  const seesCosts = useMay('costs.read');
  const { q, cursor } = useSearch({ from: '/shell/suppliers/$code' });
  const query = usePolled({
    queryKey: ['suppliers', code, 'offers', q, cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/offers', { params: { query: { supplier: code, q, cursor } }, signal })),
    every: EVERY.rest,
  });
  return (
    <>
      <Filters filters={[{ name: 'q', label: 'SKU' }]} values={{ q }} />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('suppliers.offers')}
                columns={columnsOf(t, seesCosts)}
                rows={data}
                keyOf={({ sku, supplier_sku }) => `${sku} ${supplier_sku}`}
                linkOf={({ sku }) => ({ to: '/products/$sku', params: { sku } })}
              />
            ) : (
              <Empty title={t(q ? 'suppliers.noMatch' : 'suppliers.noOffers')}>
                {!q && t('suppliers.noOffersWhy')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </>
  );
}

const columnsOf = (t: Translate, seesCosts: boolean): Column<OfferView>[] => [
  {
    id: 'sku',
    head: t('suppliers.mappedTo'),
    cell: ({ sku }) => <span className="mono">{sku}</span>,
    card: 'title',
  },
  {
    id: 'theirs',
    head: t('suppliers.theirSku'),
    cell: ({ supplier_sku: theirs }) => <span className="mono">{theirs}</span>,
  },
  {
    id: 'state',
    head: t('suppliers.state'),
    cell: (offer) => (
      <span className={classes.offerState}>
        <Status of={offerStateOf(offer)} />
        {offer.why_not !== null && <span className={classes.whyNot}>{offer.why_not}</span>}
      </span>
    ),
    card: 'corner',
  },
  {
    id: 'priority',
    head: t('suppliers.priority'),
    cell: ({ priority }) => <span className="number">{priority}</span>,
    align: 'end',
  },
  ...(seesCosts ? costsOf(t) : []),
];

const costsOf = (t: Translate): Column<OfferView>[] => [
  {
    id: 'cost',
    head: t('suppliers.cost'),
    cell: ({ cost, currency }) => (cost === null ? '—' : <Amount value={cost} currency={currency} />),
    align: 'end',
  },
  {
    id: 'margin',
    head: t('suppliers.margin'),
    cell: ({ margin_baht: margin }) =>
      margin !== null && (
        <span className={margin.startsWith('-') ? classes.loss : undefined}>
          <Amount value={margin} />
        </span>
      ),
    align: 'end',
  },
];
