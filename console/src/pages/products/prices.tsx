import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { PRICE_STEPS } from '../../choices';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Filters } from '../../kit/filters';
import { usePolled } from '../../kit/live';
import { Page } from '../../kit/page';
import { Answered, Empty } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';
import { TYPED_ABOVE } from './import-preview';
import importClasses from './import.module.css';
import { PriceChanges } from './price-changes';
import classes from './prices.module.css';
import { productFilters } from './products';

type Adjustment = components['schemas']['AdjustmentDto'];
type Preview = components['schemas']['AdjustmentPreviewDto'];

const PERCENT = /^[+-]?\d{1,6}(\.\d{1,4})?$/;
const TYPING_MS = 400;
const SHOWN_AT_FIRST = 200;

/** Changes many list prices by a percentage. The operator sees every change before it is applied. */
export function Prices(): ReactNode {
  const t = useT();
  const navigate = useNavigate();
  const { percent, round, cursor: _cursor, ...filters } = useSearch({ from: '/shell/products/prices' });
  const change = (changes: Record<string, string | undefined>): void =>
    void navigate({ to: '/products/prices', search: (search) => ({ ...search, ...changes }), replace: true });
  const isValid = percent !== undefined && PERCENT.test(percent) && Number(percent) > -100;
  return (
    <Page title={t('adjust.title')}>
      <Filters filters={productFilters(t)} values={filters} replace />
      <p className={classes.hint}>{t('adjust.which')}</p>
      <div className={classes.controls}>
        <Percent value={percent ?? ''} onChange={(value) => change({ percent: value || undefined })} />
        <NativeSelect
          label={t('adjust.rounding')}
          data={[{ value: '', label: '0.01 THB' }, ...PRICE_STEPS.map((value) => ({ value, label: `${value} THB` }))]}
          value={round ?? ''}
          onChange={(event) => change({ round: event.currentTarget.value || undefined })}
        />
      </div>
      {isValid ? (
        <Result adjustment={{ ...filters, percent, round_to: round ?? '0.01' }} />
      ) : (
        <Empty title={t('adjust.percent')}>{t('adjust.hint')}</Empty>
      )}
    </Page>
  );
}

/** Reports the percentage once the operator stops typing. */
function Percent({ value, onChange }: { value: string; onChange: (value: string) => void }): ReactNode {
  const t = useT();
  const [draft, setDraft] = useState(value);
  useEffect(() => {
    if (draft.trim() === value) return undefined;
    const timer = window.setTimeout(() => onChange(draft.trim()), TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [draft, value, onChange]);
  const isWrong = draft.trim() !== '' && !(PERCENT.test(draft.trim()) && Number(draft) > -100);
  return (
    <TextInput
      label={t('adjust.percent')}
      rightSection="%"
      autoComplete="off"
      value={draft}
      error={isWrong ? t('adjust.percentWrong') : undefined}
      onChange={(event) => setDraft(event.currentTarget.value)}
    />
  );
}

function Result({ adjustment }: { adjustment: Adjustment }): ReactNode {
  const query = usePolled({
    queryKey: ['products', 'adjustment', adjustment],
    queryFn: ({ signal }) => ask(() => client.POST('/api/products/adjustment/preview', { body: adjustment, signal })),
    every: null,
  });
  return (
    <Answered query={query}>
      {(preview) => <Changes adjustment={adjustment} preview={preview} isOutdated={query.isPlaceholderData} />}
    </Answered>
  );
}

interface ChangesProps {
  adjustment: Adjustment;
  preview: Preview;
  /** Whether the preview belongs to the previous adjustment. */
  isOutdated: boolean;
}

function Changes({ adjustment, preview, isOutdated }: ChangesProps): ReactNode {
  const t = useT();
  const [isConfirming, setConfirming] = useState(false);
  const [isExpanded, setExpanded] = useState(false);
  const { changes, changed: count, below_cost: below, own_prices: own } = preview;
  const none = <Empty title={t('adjust.none')}>{t('adjust.noneHint')}</Empty>;
  const listed = (
    <>
      <div className={importClasses.bar}>
        <div role="status">
          <ul className={importClasses.summary}>
            <li>{t('adjust.changed', { count })}</li>
            <li>{t('import.unchanged', { count: preview.unchanged })}</li>
            {below > 0 && <li data-tone="bad">{t('priceChange.belowCost', { count: below })}</li>}
          </ul>
        </div>
        <Button size="xs" disabled={isOutdated} onClick={() => setConfirming(true)}>
          {t('adjust.apply', { count })}
        </Button>
      </div>
      {own > 0 && <p className={classes.hint}>{t('adjust.ownPrices', { count: own })}</p>}
      <PriceChanges changes={isExpanded ? changes : changes.slice(0, SHOWN_AT_FIRST)} />
      {!isExpanded && changes.length > SHOWN_AT_FIRST && (
        <Button size="xs" variant="subtle" onClick={() => setExpanded(true)}>
          {t('priceChange.showAll', { count: changes.length })}
        </Button>
      )}
    </>
  );
  return (
    <>
      {count === 0 ? none : listed}
      {isConfirming && <Apply adjustment={adjustment} preview={preview} onClose={() => setConfirming(false)} />}
    </>
  );
}

/** Applies the preview from when the dialog opened, while the one behind it may already have other prices. */
function Apply({ onClose, ...latest }: Omit<ChangesProps, 'isOutdated'> & { onClose: () => void }): ReactNode {
  const t = useT();
  const [{ adjustment, preview }] = useState(latest);
  const { version, changed: count, below_cost: below, own_prices: own } = preview;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { percent, round_to: _rounding, ...filters } = adjustment;
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['products'] });
  return (
    <Confirm
      title={t('adjust.title')}
      verb={t('adjust.apply', { count })}
      requiresReason
      typed={count > TYPED_ABOVE ? String(count) : undefined}
      onConfirm={async (reason) => {
        try {
          const done = await ask(() =>
            client.POST('/api/products/adjustment', { body: { ...adjustment, version, reason } }),
          );
          toast(t('adjust.done', { count: done.changed }));
          await navigate({ to: '/products', search: filters });
        } catch (error) {
          // After a conflict the preview is outdated, so load it again behind the dialog.
          if (isProblem(error, 409)) void refresh();
          throw error;
        }
        void refresh();
        void queries.invalidateQueries({ queryKey: ['product'] });
      }}
      onClose={onClose}
    >
      <p>{t('adjust.consequence', { count, percent })}</p>
      {own > 0 && <p>{t('adjust.ownPrices', { count: own })}</p>}
      {below > 0 && <p className={classes.alarm}>{t('priceChange.belowCost', { count: below })}</p>}
    </Confirm>
  );
}
