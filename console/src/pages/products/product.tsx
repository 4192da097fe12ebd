import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, type Translate } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { Copy } from '../../kit/copy';
import { EVERY, usePolled } from '../../kit/live';
import { Moment } from '../../kit/moment';
import { Facts, Page, Section } from '../../kit/page';
import { Answered } from '../../kit/states';
import { Status } from '../../kit/status';
import { toast, toastFailure } from '../../kit/toasts';
import { useMay } from '../../session';
import { History } from './history';
import { Missing } from './margin';
import { Offers } from './offers';
import { ProductForm } from './product-form';
import classes from './product.module.css';
import { noCostOf, requirementsOf, stateOf, type ProductView } from './product-view';
import { Sales } from './sales';

/** One product with its offers, sales and history. */
export function Product(): ReactNode {
  const { sku } = useParams({ from: '/shell/products/$sku' });
  const t = useT();
  const query = usePolled({
    queryKey: ['product', sku],
    queryFn: ({ signal }) => ask(() => client.GET('/api/products/{sku}', { params: { path: { sku } }, signal })),
    every: EVERY.rest,
  });
  const product = query.data?.sku === sku ? query.data : undefined;
  return (
    <Page
      title={product?.name ?? sku}
      beside={
        <>
          <span className="mono muted">{sku}</span>
          <Copy value={sku} what={t('productMember.sku')} shortcut="c" />
          {product && <Status of={stateOf(product)} />}
        </>
      }
      actions={product && <Actions product={product} />}
    >
      <Answered query={query} rows={10}>
        {(loaded) => <ProductContent product={loaded} />}
      </Answered>
    </Page>
  );
}

function ProductContent({ product }: { product: ProductView }): ReactNode {
  const t = useT();
  const readsLog = useMay('log.read');
  const seesFigures = useMay('figures.read');
  return (
    <div className={classes.columns}>
      <div>
        <Offers product={product} />
        {seesFigures && (
          <Section title={t('productSales.title')}>
            <Sales sku={product.sku} />
          </Section>
        )}
        {readsLog && (
          <Section title={t('productHistory.title')}>
            <History sku={product.sku} />
          </Section>
        )}
      </div>
      <div className={classes.facts}>
        <Section title={t('product.facts')}>
          <Definition product={product} />
        </Section>
        <Section title={t('product.ownPrices')}>
          <OwnPrices product={product} />
        </Section>
      </div>
    </div>
  );
}

const costsOf = (product: ProductView, t: Translate): [string, ReactNode][] => {
  const { cost_baht: cost, margin_baht: margin } = product;
  return [
    [t('product.cost'), cost ? <Amount key="cost" value={cost} /> : <Missing key="cost" why={noCostOf(product, t)} />],
    [
      t('product.margin'),
      margin ? <Amount key="margin" value={margin} /> : <Missing key="margin" why={t('product.marginNeedsCost')} />,
    ],
  ];
};

function Definition({ product }: { product: ProductView }): ReactNode {
  const t = useT();
  const seesCosts = useMay('costs.read');
  return (
    <Facts
      facts={[
        [t('productMember.price'), <Amount key="price" value={product.price} />],
        ...(seesCosts ? costsOf(product, t) : []),
        [t('productMember.kind'), t(product.kind === 'code' ? 'product.kindCode' : 'product.kindTopup')],
        [t('product.requires'), requirementsOf(product, t) || '—'],
        [t('productMember.max_quantity'), product.max_quantity],
        product.player_check === null
          ? null
          : [
              t('productMember.player_check'),
              <span key="check" className="mono">
                {product.player_check}
              </span>,
            ],
        [
          t('product.soldToday'),
          <span key="sold" className="number">
            {product.sold_today ?? '—'}
          </span>,
        ],
        [t('product.updated'), <Moment key="updated" at={product.updated_at} />],
        [t('product.created'), <Moment key="created" at={product.created_at} />],
      ]}
    />
  );
}

function OwnPrices({ product }: { product: ProductView }): ReactNode {
  const t = useT();
  const { own_prices: prices, own_price_count: count } = product;
  if (count === 0) return <p className="muted">{t('product.ownPricesNone')}</p>;
  return (
    <>
      <ul className={classes.prices}>
        {prices.map(({ merchant, price }) => (
          <li key={merchant.id}>
            <span className={classes.merchant}>{merchant.name}</span>
            <Amount value={price} />
          </li>
        ))}
      </ul>
      {count > prices.length && <p className="muted">{t('product.ownPricesMore', { count })}</p>}
    </>
  );
}

function Actions({ product }: { product: ProductView }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { edit } = useSearch({ from: '/shell/products/$sku' });
  const maySet = useMay('products.set');
  const [dialog, setDialog] = useState<'on' | 'off' | null>(null);
  if (!maySet) return null;
  const { sku, active } = product;
  const setActive = async (isActive: boolean, reason?: string, expected = product.updated_at): Promise<void> => {
    const changed = await ask(() =>
      client.PUT('/api/products/{sku}', {
        params: { path: { sku } },
        body: { active: isActive, reason, expected_updated_at: expected },
      }),
    );
    queries.setQueryData(['product', sku], changed);
    await queries.invalidateQueries({ queryKey: ['products'] });
    void queries.invalidateQueries({ queryKey: ['product', sku, 'history'] });
    const undo = (): void => void setActive(!isActive, undefined, changed.updated_at).catch(toastFailure);
    toast(t(isActive ? 'product.onDone' : 'product.offDone', { sku }), isActive ? undefined : undo);
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setDialog(active ? 'off' : 'on')}>
        {t(active ? 'product.off' : 'product.on')}
      </Button>
      <Button size="xs" onClick={() => void navigate({ to: '.', search: { edit: 'definition' }, replace: true })}>
        {t('product.edit')}
      </Button>
      {edit && <ProductForm product={product} onClose={() => void navigate({ to: '.', search: {}, replace: true })} />}
      {dialog !== null && (
        <Confirm
          title={t(`product.${dialog}Title`, { sku })}
          verb={t(`product.${dialog}`)}
          isHarmless={dialog === 'on'}
          requiresReason={dialog === 'off'}
          onConfirm={(reason) => setActive(dialog === 'on', reason || undefined)}
          onClose={() => setDialog(null)}
        >
          <p>{t(`product.${dialog}Consequence`, { sku, count: product.sold_today ?? 0 })}</p>
        </Confirm>
      )}
    </>
  );
}
