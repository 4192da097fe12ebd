import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT, useWords, type Translate } from '../../i18n/words';
import { AddButton } from '../../kit/add-button';
import { Amount } from '../../kit/amount';
import { CsvButton } from '../../kit/csv-button';
import { Filters, type Filter } from '../../kit/filters';
import { LinkButton } from '../../kit/link-button';
import { EVERY, usePolled } from '../../kit/live';
import { Page } from '../../kit/page';
import { Pages } from '../../kit/pages';
import { Answered, Empty } from '../../kit/states';
import { Status } from '../../kit/status';
import { Stack, Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { Margin, Missing } from './margin';
import { ProductForm } from './product-form';
import { noCostOf, requirementsOf, stateOf, type ProductRow } from './product-view';

/** The products with price, margin and suppliers. */
export function Products(): ReactNode {
  const t = useT();
  const { language } = useWords();
  const { cursor, ...filters } = useSearch({ from: '/shell/products' });
  const seesCosts = useMay('costs.read');
  const query = usePolled({
    queryKey: ['products', filters, cursor],
    queryFn: ({ signal }) =>
      ask(() => client.GET('/api/products', { params: { query: { ...filters, cursor } }, signal })),
    every: EVERY.rest,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  return (
    <Page title={t('nav.products')} actions={<Actions filters={filters} />}>
      <Filters filters={productFilters(t)} values={filters} />
      <Answered query={query}>
        {({ data, next_cursor }) => (
          <>
            {data.length > 0 && (
              <Table
                label={t('nav.products')}
                columns={columnsOf(t, language, seesCosts)}
                rows={data}
                keyOf={({ sku }) => sku}
                linkOf={({ sku }) => ({ to: '/products/$sku', params: { sku } })}
              />
            )}
            {data.length === 0 && (
              <Empty title={t(isFiltered ? 'products.noMatch' : 'products.none')}>
                {t(isFiltered ? 'products.noMatchHint' : 'products.noneHint')}
              </Empty>
            )}
            <Pages next={next_cursor} />
          </>
        )}
      </Answered>
    </Page>
  );
}

interface Values {
  q?: string;
  supplier?: string;
  active?: 'true' | 'false';
}

function Actions({ filters }: { filters: Values }): ReactNode {
  const t = useT();
  const [maySet, mayImport, mayExport] = [useMay('products.set'), useMay('products.import'), useMay('exports.run')];
  const mayPrice = useMay('prices.set');
  return (
    <>
      {mayExport && <CsvButton path="/api/products.csv" query={{ ...filters }} />}
      {(mayImport || mayPrice) && (
        <LinkButton size="xs" variant="default" to="/products/import" search={mayImport ? {} : { kind: 'prices' }}>
          {t('products.import')}
        </LinkButton>
      )}
      {mayImport && (
        <LinkButton size="xs" variant="default" to="/products/prices" search={filters}>
          {t('products.adjust')}
        </LinkButton>
      )}
      {maySet && <AddButton label={t('product.add')}>{(close) => <ProductForm onClose={close} />}</AddButton>}
    </>
  );
}

/** The filters of lists of products. */
export const productFilters = (t: Translate): Filter[] => [
  { name: 'q', label: t('products.term') },
  { name: 'supplier', label: t('productMember.supplier'), several: true },
  {
    name: 'active',
    label: t('products.onSale'),
    choices: [
      { value: 'true', label: t('product.yes') },
      { value: 'false', label: t('product.no') },
    ],
  },
];

const columnsOf = (t: Translate, language: string, seesCosts: boolean): Column<ProductRow>[] => [
  {
    id: 'state',
    head: t('product.state'),
    cell: (row) => (
      <span title={(row.active && row.why_not) || undefined}>
        <Status of={stateOf(row)} />
      </span>
    ),
    card: 'corner',
  },
  {
    id: 'name',
    head: `${t('productMember.name')} · ${t('productMember.sku')}`,
    cell: ({ name, sku }) => <Stack below={<span className="mono">{sku}</span>}>{name}</Stack>,
    card: 'title',
  },
  {
    id: 'price',
    head: `${t('productMember.price')} · THB`,
    cell: ({ price }) => <Amount value={price} currency={null} />,
    align: 'end',
  },
  ...(seesCosts ? costColumns(t) : []),
  {
    id: 'supplier',
    head: t('productMember.supplier'),
    cell: ({ supplier, supplier_sku: theirs }) =>
      supplier && <Stack below={<span className="mono">{theirs}</span>}>{supplier}</Stack>,
  },
  {
    id: 'requires',
    head: t('product.requires'),
    cell: (row) => requirementsOf(row, t),
    card: 'hidden',
    from: 1680,
  },
  {
    id: 'maximum',
    head: t('product.maximum'),
    cell: ({ max_quantity: max }) => <span className="number">{max}</span>,
    align: 'end',
    card: 'hidden',
    from: 1680,
  },
  ...salesColumns(t, language),
];

const costColumns = (t: Translate): Column<ProductRow>[] => [
  {
    id: 'cost',
    head: t('product.cost'),
    cell: (row) =>
      row.cost_baht ? <Amount value={row.cost_baht} currency={null} /> : <Missing why={noCostOf(row, t)} />,
    align: 'end',
    card: 'hidden',
    from: 1000,
  },
  {
    id: 'margin',
    head: t('product.margin'),
    cell: ({ margin_baht: margin }) =>
      margin ? <Margin value={margin} /> : <Missing why={t('product.marginNeedsCost')} />,
    align: 'end',
  },
];

const salesColumns = (t: Translate, language: string): Column<ProductRow>[] => [
  {
    id: 'sold',
    head: t('product.soldToday'),
    cell: ({ sold_today: sold }) => <span className="number">{sold ?? '—'}</span>,
    align: 'end',
    card: 'hidden',
  },
  {
    id: 'failed',
    head: t('product.failedShare'),
    cell: (row) => <span className="number">{failedShare(row, language)}</span>,
    align: 'end',
    card: 'hidden',
    from: 1120,
  },
];

function failedShare({ sold_today: sold, failed_today: failed }: ProductRow, language: string): string {
  if (sold === null || failed === null || sold + failed === 0) return '';
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 }).format(
    failed / (sold + failed),
  );
}
