import { NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { formatAmount } from '../../kit/amount';
import { Choices } from '../../kit/choices';
import { suppliersQuery, type CatalogueItem } from '../suppliers/supplier-view';

const SHOWN = 8;

/** The members of an offer that a choice sets. */
interface Chosen {
  supplier: string;
  supplier_sku: string;
  cost: string;
  currency: string;
}

interface ChooseProps {
  draft: Chosen;
  onChange: (changes: Partial<Chosen>) => void;
}

/** Chooses a supplier and its SKU. A choice from the supplier's catalogue also fills in cost and currency. */
export function ChooseTheirs({ draft, onChange }: ChooseProps): ReactNode {
  const t = useT();
  const { data: suppliers } = useQuery(suppliersQuery);
  const choose = (code: string): void => {
    const balance = suppliers?.data.find((supplier) => supplier.code === code)?.balance;
    onChange({ supplier: code, supplier_sku: '', cost: '', currency: balance?.currency ?? 'THB' });
  };
  return (
    <>
      <NativeSelect
        label={t('productMember.supplier')}
        required
        data-autofocus
        data={[
          { value: '', label: t('offer.chooseSupplier'), disabled: true },
          ...(suppliers?.data ?? []).map(({ code }) => code),
        ]}
        value={draft.supplier}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      <TextInput
        label={t('productMember.supplier_sku')}
        description={t('offer.theirsHint')}
        required
        disabled={draft.supplier === ''}
        maxLength={128}
        autoComplete="off"
        value={draft.supplier_sku}
        onChange={(event) => onChange({ supplier_sku: event.currentTarget.value })}
      />
      {draft.supplier !== '' && <TheirProducts key={draft.supplier} draft={draft} onChange={onChange} />}
    </>
  );
}

/** The SKUs of the supplier's catalogue that match the text. Shows nothing for a supplier without a catalogue. */
function TheirProducts({ draft: { supplier, supplier_sku: typed }, onChange }: ChooseProps): ReactNode {
  const t = useT();
  const [chosen, setChosen] = useState('');
  const text = useDeferredValue(typed.trim());
  const { data } = useQuery({
    queryKey: ['suppliers', supplier, 'to-offer', text],
    queryFn: ({ signal }) =>
      ask(() =>
        client.GET('/api/suppliers/{code}/products', {
          params: { path: { code: supplier }, query: { q: text === '' ? undefined : text } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const found = (data?.data ?? []).filter(({ gone_at: gone }) => gone === null);
  if (found.length === 0) return null;
  const choose = (sku: string): void => {
    const theirs = found.find(({ supplier_sku }) => supplier_sku === sku);
    setChosen(sku);
    onChange({ supplier_sku: sku, ...(theirs && costOf(theirs)) });
  };
  return (
    <Choices
      label={t('offer.theirs')}
      choices={found.slice(0, SHOWN).map(({ supplier_sku: value, name, cost, currency }) => ({
        value,
        name,
        amount: cost === null ? null : `${formatAmount(cost)} ${currency ?? ''}`,
      }))}
      value={typed === chosen ? chosen : ''}
      onChange={choose}
    >
      {(found.length > SHOWN || data?.next_cursor !== null) && t('offer.moreTheirs')}
    </Choices>
  );
}

const costOf = ({ cost, currency }: CatalogueItem): Partial<Chosen> => ({
  ...(cost === null ? {} : { cost }),
  ...(currency === null ? {} : { currency }),
});
