import { queryOptions } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import type { Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Moment } from '../../kit/moment';
import { Status } from '../../kit/status';
import type { components } from '../../schema';
import { Products } from '../orders/products';
import classes from './search.module.css';

type Found = components['schemas']['FoundDto'];

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the type of the answer is what queries are made of
export const foundQuery = (term: string) =>
  queryOptions({
    queryKey: ['search', term],
    queryFn: ({ signal }) => ask(() => client.GET('/api/search', { params: { query: { q: term } }, signal })),
  });

export interface Hit {
  /** Unlike kind and title, it is unique: merchants may have equal names. */
  id: string;
  /** The kind of the match, such as an order number. */
  kind: string;
  title: string;
  detail: ReactNode;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

export function hitsOf({ orders, merchants, products }: Found, term: string, t: Translate): Hit[] {
  return [
    ...orders.map(({ order_number: number, found_as, ...order }) => ({
      id: `order ${number}`,
      kind: t(`search.as.${found_as}`),
      title: number,
      detail: <AboutOrder order={order} />,
      // The id of a delivery leads to the delivery, which links to its order.
      link:
        found_as === 'delivery'
          ? ({ to: '/deliveries', search: { delivery: term } } as const)
          : ({ to: '/orders/$number', params: { number } } as const),
    })),
    ...merchants.map(({ id, name }) => ({
      id: `merchant ${id}`,
      kind: t('search.as.merchant'),
      title: name,
      detail: t('merchant.title', { id: String(id) }),
      link: { to: '/merchants/$id', params: { id: String(id) } } as const,
    })),
    ...products.map(({ sku, name }) => ({
      id: `product ${sku}`,
      kind: t('search.as.product'),
      title: sku,
      detail: name,
      link: { to: '/products/$sku', params: { sku } } as const,
    })),
  ];
}

function AboutOrder({ order }: { order: Omit<Found['orders'][number], 'order_number' | 'found_as'> }): ReactNode {
  const { merchant, user_id: player, items, status, total_amount: amount, created_at: at } = order;
  return (
    <span className={classes.detail}>
      <Status of={status} />
      <Moment at={at} form="short" zoned={false} />
      <span>{merchant.name}</span>
      <Products items={items} />
      <span>{player}</span>
      <Amount value={amount} />
    </span>
  );
}
