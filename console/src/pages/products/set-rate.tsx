import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import classes from './set-rate.module.css';

type Preview = components['schemas']['FxPreviewDto'];

const RATE = /^(?=.*[1-9])\d{1,10}(\.\d{1,10})?$/;
const CURRENCY = /^[A-Z]{3}$/;
const TYPING_MS = 300;
const SHOWN = 20;

/** Sets an exchange rate. Shows which products would sell below cost. @param currency empty for a new currency. */
export function SetRate({ currency: known, onClose }: { currency: string; onClose: () => void }): ReactNode {
  const t = useT();
  const [currency, setCurrency] = useState(known);
  const [rate, setRate] = useState('');
  const [debounced] = useDebouncedValue(`${currency} ${rate.trim()}`, TYPING_MS);
  const isValid = RATE.test(rate.trim()) && CURRENCY.test(currency);
  const isSettled = debounced === `${currency} ${rate.trim()}`;
  const query = useQuery({
    queryKey: ['fx', 'preview', debounced],
    queryFn: ({ signal }) =>
      ask(() =>
        client.POST('/api/fx/{currency}/preview', {
          params: { path: { currency } },
          body: { rate: rate.trim() },
          signal,
        }),
      ),
    enabled: isValid && isSettled,
  });
  const preview = isValid && isSettled ? query.data : undefined;
  const save = useSetRate();
  const set = async (reason: string): Promise<void> => {
    if (!preview) return;
    try {
      await save(currency, { rate: rate.trim(), version: preview.version, reason });
    } catch (error) {
      if (isProblem(error, 409)) void query.refetch();
      throw error;
    }
  };
  return (
    <Confirm
      title={known === '' ? t('fx.add') : t('fx.setOf', { currency: known })}
      verb={t('fx.set')}
      requiresReason
      isReady={preview !== undefined}
      onConfirm={set}
      onClose={onClose}
    >
      {known === '' && (
        <TextInput
          label={t('fx.currency')}
          maxLength={3}
          autoComplete="off"
          value={currency}
          error={
            currency !== '' && !CURRENCY.test(currency) && currency.length === 3 ? t('fx.currencyWrong') : undefined
          }
          onChange={(event) => setCurrency(event.currentTarget.value.toUpperCase())}
        />
      )}
      <TextInput
        label={t('fx.rate')}
        inputMode="decimal"
        autoComplete="off"
        value={rate}
        error={rate.trim() !== '' && !RATE.test(rate.trim()) ? t('fx.rateWrong') : undefined}
        onChange={(event) => setRate(event.currentTarget.value)}
      />
      {query.error && isSettled && (
        <p className={classes.alarm} role="alert">
          {query.error.message}
        </p>
      )}
      {preview && <Consequence currency={currency} rate={rate.trim()} preview={preview} />}
    </Confirm>
  );
}

/** Sets a rate and shows the new rates. @throws Problem */
function useSetRate(): (currency: string, body: components['schemas']['SetFxDto']) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  return async (currency, body) => {
    const rates = await ask(() => client.PUT('/api/fx/{currency}', { params: { path: { currency } }, body }));
    queries.setQueryData(['fx'], rates);
    toast(t('fx.done', { currency }));
    void queries.invalidateQueries({ queryKey: ['products'] });
    void queries.invalidateQueries({ queryKey: ['product'] });
  };
}

function Consequence({ currency, rate, preview }: { currency: string; rate: string; preview: Preview }): ReactNode {
  const t = useT();
  const { before, products: count, below_cost: below, effects } = preview;
  return (
    <div role="status" className={classes.consequence}>
      <p>{t('fx.consequence', { currency, rate, before: before ?? '—', count })}</p>
      {below === 0 && <p className="muted">{t('fx.noneBelow')}</p>}
      {below > 0 && (
        <div className={classes.alarm}>
          <p>{t('fx.belowCost', { count: below })}</p>
          <ul className={classes.list}>
            {effects
              .filter(({ below_cost: isBelow }) => isBelow)
              .slice(0, SHOWN)
              .map(({ sku, price, cost_after: cost }) => (
                <li key={sku}>
                  <span className="mono">{sku}</span>{' '}
                  {t('fx.belowCostOf', { price: formatAmount(price), cost: formatAmount(cost) })}
                </li>
              ))}
          </ul>
        </div>
      )}
    </div>
  );
}
