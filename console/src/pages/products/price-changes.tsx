import type { ReactNode } from 'react';
import { useT, useWords } from '../../i18n/words';
import { Amount } from '../../kit/amount';
import { Table, type Column } from '../../kit/table';
import { useMay } from '../../session';
import { Margin } from './margin';
import classes from './price-changes.module.css';
import { formatPercent, type PriceChange } from './product-view';

/** Old and new prices. Prices below cost are marked in red. */
export function PriceChanges({ changes }: { changes: readonly PriceChange[] }): ReactNode {
  const t = useT();
  const { language } = useWords();
  const seesCosts = useMay('costs.read');
  const hasMerchants = changes.some(({ merchant_id: id }) => id !== null);
  const costs: Column<PriceChange>[] = [
    {
      id: 'cost',
      head: t('product.cost'),
      cell: ({ cost_baht: cost }) => cost && <Amount value={cost} currency={null} />,
      align: 'end',
    },
    {
      id: 'margin',
      head: t('product.margin'),
      cell: ({ margin_baht: margin }) => margin && <Margin value={margin} />,
      align: 'end',
    },
  ];
  const merchant: Column<PriceChange> = {
    id: 'merchant',
    head: t('import.merchant'),
    cell: ({ merchant_id: id }) => <span className="number">{id}</span>,
    align: 'end',
  };
  return (
    <Table
      label={t('import.change')}
      columns={[
        {
          id: 'sku',
          head: t('productMember.sku'),
          cell: ({ sku }) => <span className="mono">{sku}</span>,
          card: 'title',
        },
        ...(hasMerchants ? [merchant] : []),
        { id: 'old', head: t('priceChange.old'), cell: ({ old }) => <Price value={old} />, align: 'end' },
        {
          id: 'new',
          head: t('priceChange.new'),
          cell: ({ new: now }) => <Price value={now} />,
          align: 'end',
        },
        ...(seesCosts ? costs : []),
        {
          id: 'moves',
          head: t('import.moves'),
          cell: (row) => (
            <PriceMove percent={row.price_moves_percent} isBelowCost={row.below_cost} language={language} />
          ),
          align: 'end',
        },
      ]}
      rows={changes}
      keyOf={({ merchant_id: id, sku }) => `${id} ${sku}`}
    />
  );
}

const Price = ({ value }: { value: string | null }): ReactNode =>
  value === null ? '—' : <Amount value={value} currency={null} />;

const LARGE_CHANGE_PERCENT = 20;

/** The change of a price in percent. Marked when it is large or the price is below cost. */
export function PriceMove({
  percent,
  isBelowCost,
  language,
}: {
  percent: number | null;
  isBelowCost: boolean;
  language: string;
}): ReactNode {
  const t = useT();
  return (
    <span className={classes.moves}>
      {percent !== null && (
        <span className="number" data-far={Math.abs(percent) > LARGE_CHANGE_PERCENT}>
          {formatPercent(percent, language)}
        </span>
      )}
      {isBelowCost && <span className={classes.below}>{t('priceChange.belowCostMark')}</span>}
    </span>
  );
}
