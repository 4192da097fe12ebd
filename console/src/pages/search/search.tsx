import { Link, Navigate, useSearch, type LinkProps } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import type { components } from '../../schema';
import classes from './search.module.css';

/** What a term matches. A single match opens at once. */
export function Search(): ReactNode {
  const t = useT();
  const { q } = useSearch({ from: '/shell/search' });
  return (
    <Page title={q === undefined ? t('search.title') : t('search.titleFor', { term: q })}>
      {q === undefined ? <Empty title={t('search.hint')}>{t('search.kinds')}</Empty> : <Found term={q} />}
    </Page>
  );
}

function Found({ term }: { term: string }): ReactNode {
  const t = useT();
  const query = useQuery({
    queryKey: ['search', term],
    queryFn: ({ signal }) => ask(() => client.GET('/api/search', { params: { query: { q: term } }, signal })),
  });
  return (
    <Answered query={query} rows={4}>
      {(found) => {
        const hits = hitsOf(found, term.trim(), t);
        const [only, ...others] = hits;
        if (only === undefined) return <Empty title={t('search.none')}>{t('search.exact')}</Empty>;
        if (others.length === 0) return <Navigate {...only.link} replace />;
        return (
          <ul className={classes.hits}>
            {hits.map((hit) => (
              <li key={`${hit.kind} ${hit.title}`}>
                <Link {...hit.link} className={classes.hit} data-row-link="">
                  <span className={classes.kind}>{hit.kind}</span>
                  <span className={classes.title}>{hit.title}</span>
                  <span className="muted">{hit.detail}</span>
                </Link>
              </li>
            ))}
          </ul>
        );
      }}
    </Answered>
  );
}

interface Hit {
  /** The kind of the match, such as an order number. */
  kind: string;
  title: string;
  detail: ReactNode;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

function hitsOf({ orders, merchants, products }: components['schemas']['FoundDto'], term: string, t: Translate): Hit[] {
  return [
    ...orders.map(({ order_number: number, found_as, merchant, status, total_amount }) => ({
      kind: t(`search.as.${found_as}`),
      title: number,
      detail: (
        <span className={classes.detail}>
          {merchant.name} <Amount value={total_amount} /> <Status of={status} />
        </span>
      ),
      // The id of a delivery leads to the delivery, which links to its order.
      link:
        found_as === 'delivery'
          ? ({ to: '/deliveries', search: { delivery: term } } as const)
          : ({ to: '/orders/$number', params: { number } } as const),
    })),
    ...merchants.map(({ id, name }) => ({
      kind: t('search.as.merchant'),
      title: name,
      detail: t('merchant.title', { id: String(id) }),
      link: { to: '/merchants/$id', params: { id: String(id) } } as const,
    })),
    ...products.map(({ sku, name }) => ({
      kind: t('search.as.product'),
      title: sku,
      detail: name,
      link: { to: '/products/$sku', params: { sku } } as const,
    })),
  ];
}
