import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { toast } from '../../kit/toasts';
import { FormDialog } from './dialog';
import { MemberChanges } from './member-changes';
import type { MemberChange, ProductView } from './product-view';

/** The contents of the form, as text. */
interface Draft {
  sku: string;
  name: string;
  price: string;
  supplier: string;
  supplier_sku: string;
  requires_server: boolean;
  requires_character: boolean;
  max_quantity: string;
  kind: 'topup' | 'code';
  player_check: string;
}

const EMPTY: Draft = {
  sku: '',
  name: '',
  price: '',
  supplier: '',
  supplier_sku: '',
  player_check: '',
  requires_server: false,
  requires_character: false,
  max_quantity: '100',
  kind: 'topup',
};

const draftOf = (product: ProductView): Draft => ({
  ...EMPTY,
  sku: product.sku,
  name: product.name,
  price: product.price,
  requires_server: product.requires_server,
  requires_character: product.requires_character,
  max_quantity: String(product.max_quantity),
  kind: product.kind,
  player_check: product.player_check ?? '',
});

interface ProductFormProps {
  /** The stored product. Absent when the form adds one. */
  product?: ProductView;
  onClose: () => void;
}

/** Adds or changes a product. Shows the changes first. The API rejects them if another operator has saved meanwhile. */
export function ProductForm({ product, onClose }: ProductFormProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  // Keep the state from when the form opened, because the API compares with its `updated_at`.
  const [stored] = useState(product);
  const [draft, setDraft] = useState<Draft>(stored ? draftOf(stored) : EMPTY);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const changes = stored ? differences(draftOf(stored), draft) : [];
  const save = async (): Promise<void> => {
    const sku = draft.sku.trim();
    await ask(() =>
      client.PUT('/api/products/{sku}', {
        params: { path: { sku } },
        body: { ...bodyOf(draft), expected_updated_at: stored?.updated_at ?? null },
      }),
    );
    toast(t('product.done', { sku }));
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['product', sku] }),
      queries.invalidateQueries({ queryKey: ['products'] }),
    ]);
    if (!stored) await navigate({ to: '/products/$sku', params: { sku } });
  };
  return (
    <FormDialog
      title={stored ? t('product.editTitle', { sku: stored.sku }) : t('product.add')}
      verb={t(stored ? 'product.save' : 'product.add')}
      isReady={draft.sku.trim() !== '' && draft.name.trim() !== '' && (!stored || changes.length > 0)}
      onSubmit={save}
      onClose={onClose}
    >
      <Fields draft={draft} isNew={!stored} onChange={change} />
      {stored && <MemberChanges title={t('product.changes')} changes={changes} none={t('product.nothingChanges')} />}
    </FormDialog>
  );
}

interface FieldsProps {
  draft: Draft;
  isNew: boolean;
  onChange: (changes: Partial<Draft>) => void;
}

function Fields({ draft, isNew, onChange }: FieldsProps): ReactNode {
  const t = useT();
  const field = (name: 'sku' | 'name' | 'price' | 'supplier' | 'supplier_sku' | 'max_quantity' | 'player_check') => ({
    label: t(`productMember.${name}`),
    value: draft[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <>
      {isNew && <TextInput {...field('sku')} required maxLength={64} data-autofocus />}
      <TextInput {...field('name')} required maxLength={128} data-autofocus={!isNew || undefined} />
      <TextInput {...field('price')} required inputMode="decimal" rightSection="THB" rightSectionWidth={48} />
      {isNew && <TextInput {...field('supplier')} maxLength={128} />}
      {isNew && <TextInput {...field('supplier_sku')} maxLength={128} />}
      <Checkbox
        label={t('productMember.requires_server')}
        checked={draft.requires_server}
        onChange={(event) => onChange({ requires_server: event.currentTarget.checked })}
      />
      <Checkbox
        label={t('productMember.requires_character')}
        checked={draft.requires_character}
        onChange={(event) => onChange({ requires_character: event.currentTarget.checked })}
      />
      <TextInput {...field('max_quantity')} inputMode="numeric" />
      <NativeSelect
        label={t('productMember.kind')}
        data={[
          { value: 'topup', label: t('product.kindTopup') },
          { value: 'code', label: t('product.kindCode') },
        ]}
        value={draft.kind}
        onChange={(event) => onChange({ kind: event.currentTarget.value === 'code' ? 'code' : 'topup' })}
      />
      <TextInput {...field('player_check')} placeholder="g2bulk:mlbb" maxLength={128} />
    </>
  );
}

const differences = (before: Draft, now: Draft): MemberChange[] =>
  (Object.keys(before) as (keyof Draft)[])
    .filter((member) => textOf(before[member]) !== textOf(now[member]))
    .map((member) => ({ member, old: textOf(before[member]), new: textOf(now[member]) }));

const textOf = (value: string | boolean): string | null => String(value).trim() || null;

const bodyOf = ({ sku: _sku, ...draft }: Draft) => ({
  name: draft.name.trim(),
  price: draft.price.trim(),
  supplier: draft.supplier.trim() || undefined,
  supplier_sku: draft.supplier_sku.trim() || undefined,
  requires_server: draft.requires_server,
  requires_character: draft.requires_character,
  max_quantity: Number(draft.max_quantity),
  kind: draft.kind,
  player_check: draft.player_check.trim() || null,
});
