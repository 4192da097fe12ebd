import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount, readAmount, writeAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { Facts } from '../../kit/page';
import { toast, toastFailure } from '../../kit/toasts';
import { AmountField } from './amount-field';
import { useRefresh, type PriceView } from './merchant-view';
import classes from './prices.module.css';

interface SetPriceProps {
  merchant: number;
  product: PriceView;
  onClose: () => void;
}

/** Sets the merchant's own price. An empty field removes it. The toast offers undo. */
export function SetPrice({ merchant, product, onClose }: SetPriceProps): ReactNode {
  const t = useT();
  const { sku, list_price: list, own_price: own, cost } = product;
  const change = useChange(merchant, sku);
  const [value, setValue] = useState(own ?? '');
  const price = readAmount(value);
  const isCleared = value.trim() === '';
  const isAboveList = price !== null && price > (readAmount(list) ?? 0n);
  const isBelowCost = price !== null && cost !== null && price < (readAmount(cost) ?? 0n);
  const confirm = async (): Promise<void> => {
    const next = isCleared || price === null ? null : writeAmount(price);
    await change(next, own);
    const done = next === null ? 'prices.cleared' : 'prices.done';
    toast(t(done, { sku, price: formatAmount(next ?? list) }), () => void change(own, next).catch(toastFailure));
  };
  return (
    <Confirm
      title={t('prices.changeWhich', { sku })}
      verb={t(isCleared ? 'prices.clear' : 'prices.set')}
      isHarmless={!isBelowCost}
      isReady={isCleared ? own !== null : price !== null && !isAboveList}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{product.name}</p>
      <Facts
        facts={[
          [t('prices.list'), `${formatAmount(list)} THB`],
          cost === null ? null : [t('prices.cost'), `${formatAmount(cost)} THB`],
        ]}
      />
      <AmountField
        label={t('prices.own')}
        description={t('prices.hint')}
        value={value}
        onChange={setValue}
        problem={isAboveList ? t('prices.aboveList', { list: formatAmount(list) }) : undefined}
      />
      {isBelowCost && (
        <p className={classes.warning} role="status">
          {t('prices.belowCost', { cost: formatAmount(cost) })}
        </p>
      )}
    </Confirm>
  );
}

/** Sets the price if the stored one is still the one that the operator saw. Null stands for no own price. */
function useChange(id: number, sku: string): (price: string | null, seen: string | null) => Promise<void> {
  const refresh = useRefresh();
  return async (price, seen) => {
    const expected_price = seen ?? 'none';
    const path = { id, sku };
    try {
      await ask(() =>
        price === null
          ? client.DELETE('/api/merchants/{id}/prices/{sku}', { params: { path, query: { expected_price } } })
          : client.PUT('/api/merchants/{id}/prices/{sku}', {
              params: { path },
              body: { price, expected_price },
            }),
      );
    } finally {
      await refresh(id);
    }
  };
}
