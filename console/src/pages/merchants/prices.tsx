import { Button } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Filters } from '../../kit/filters';
import { EVERY, usePolled } from '../../kit/live';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Stack, Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { Margin } from '../products/margin';
import { useMerchantId, type PriceView } from './merchant-view';
import { SetPrice } from './set-price';

/** What the merchant pays for each product: the list price, or its own lower price. */
export function Prices(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const { cursor, q, own } = useSearch({ from: '/shell/merchants/$id/prices' });
  const [chosen, setChosen] = useState<PriceView | null>(null);
  const [maySet, seesCosts] = [useMay('prices.set'), useMay('costs.read')];
  const query = usePolled({
    queryKey: ['merchant', id, 'prices', q, own, cursor],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/merchants/{id}/prices', {
          params: { path: { id }, query: { q, own, cursor } },
          signal,
        }),
      ),
    every: EVERY.rest,
  });
  const isFiltered = q !== undefined || own !== undefined;
  return (
    <>
      <Filters
        filters={[
          { name: 'q', label: t('prices.skuOrName') },
          {
            name: 'own',
            label: t('prices.which'),
            choices: [{ value: 'true', label: t('prices.ownOnly') }],
          },
        ]}
        values={{ q, own }}
      />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 ? (
              <Table
                label={t('merchant.prices')}
                columns={[
                  ...columnsOf(t),
                  ...(seesCosts ? marginsOf(t) : []),
                  ...(maySet ? [changeOf(t, setChosen)] : []),
                ]}
                rows={data}
                keyOf={({ sku }) => sku}
              />
            ) : (
              <Empty title={t(isFiltered ? 'prices.noMatch' : 'prices.none')}>
                {isFiltered && own === 'true' && t('prices.noneOwn')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
      {chosen && <SetPrice merchant={id} product={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

const columnsOf = (t: Translate): Column<PriceView>[] => [
  {
    id: 'name',
    head: `${t('prices.name')} · SKU`,
    cell: ({ name, sku }) => <Stack below={<span className="mono">{sku}</span>}>{name}</Stack>,
    card: 'title',
  },
  {
    id: 'list',
    head: `${t('prices.list')} · THB`,
    cell: ({ list_price: price }) => <Amount value={price} currency={null} />,
    align: 'end',
  },
  {
    id: 'own',
    head: t('prices.own'),
    cell: ({ own_price: price }) => price !== null && <Amount value={price} currency={null} />,
    align: 'end',
  },
  {
    id: 'discount',
    head: t('prices.discount'),
    cell: ({ discount, own_price }) => own_price !== null && <Amount value={discount} currency={null} />,
    align: 'end',
    card: 'hidden',
    from: 1000,
  },
];

const marginsOf = (t: Translate): Column<PriceView>[] => [
  {
    id: 'margin',
    head: t('prices.margin'),
    cell: ({ margin }) =>
      margin === null ? <span className="muted">{t('prices.needsCost')}</span> : <Margin value={margin} />,
    align: 'end',
  },
];

const changeOf = (t: Translate, onChoose: (product: PriceView) => void): Column<PriceView> => ({
  id: 'change',
  head: <span className="hidden">{t('keys.actions')}</span>,
  align: 'end',
  cell: (product) => (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={t('prices.changeWhich', { sku: product.sku })}
      onClick={() => onChoose(product)}
    >
      {t('prices.change')}
    </Button>
  ),
});
