import { TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Choices } from '../../kit/choices';
import { Confirm } from '../../kit/confirm';
import { Failure, Loading } from '../../kit/states';
import { useSetOffer } from '../products/offer-calls';
import type { CatalogueItem } from './supplier-view';

const SHOWN = 8;

/** Adds an offer for a product from the supplier's catalogue, at the cost in the catalogue. */
export function MapProduct({
  supplier,
  item,
  onClose,
}: {
  supplier: string;
  item: CatalogueItem;
  onClose: () => void;
}): ReactNode {
  const t = useT();
  const [text, setText] = useState('');
  const [sku, setSku] = useState('');
  const [priority, setPriority] = useState('1');
  const set = useSetOffer(sku, t('suppliers.mapped', { theirs: item.supplier_sku, sku }));
  const offer = { sku, supplier, supplier_sku: item.supplier_sku };
  return (
    <Confirm
      title={t('suppliers.mapOne', { theirs: item.supplier_sku })}
      verb={t('suppliers.map')}
      isHarmless
      isReady={sku !== '' && /^[1-9]\d*$/.test(priority.trim())}
      onConfirm={() => set({ ...offer, priority: Number(priority), expected_updated_at: null })}
      onClose={onClose}
    >
      <p>
        <strong>{item.name}</strong>
        {item.group !== '' && <span className="muted"> · {item.group}</span>}
        {item.cost !== null && (
          <>
            <br />
            {t('suppliers.mapCost', { cost: formatAmount(item.cost), currency: item.currency ?? '' })}
          </>
        )}
      </p>
      <TextInput
        label={t('suppliers.ourProduct')}
        placeholder={t('suppliers.match')}
        autoComplete="off"
        data-autofocus
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
      />
      <OurProducts text={useDeferredValue(text.trim())} value={sku} onChange={setSku} />
      <TextInput
        label={t('suppliers.priority')}
        description={t('suppliers.priorityHint')}
        inputMode="numeric"
        value={priority}
        onChange={({ currentTarget: { value } }) => setPriority(value)}
      />
    </Confirm>
  );
}

/** Our products that match the text, to choose one. */
function OurProducts({
  text,
  value,
  onChange,
}: {
  text: string;
  value: string;
  onChange: (sku: string) => void;
}): ReactNode {
  const t = useT();
  const { data, error } = useQuery({
    queryKey: ['products', 'to-map', text],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/products', {
          params: { query: { q: text === '' ? undefined : text, limit: SHOWN } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
  if (error) return <Failure error={error} />;
  if (data === undefined) return <Loading rows={3} />;
  if (data.data.length === 0) return <p className="muted">{t('suppliers.noProductMatch')}</p>;
  return (
    <Choices
      label={t('suppliers.ourProduct')}
      choices={data.data.map(({ sku, name, price }) => ({ value: sku, name, amount: formatAmount(price) }))}
      value={value}
      onChange={onChange}
    >
      {data.next_cursor !== null && t('suppliers.moreProducts')}
    </Choices>
  );
}
