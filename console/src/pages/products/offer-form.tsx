import { TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { useMay } from '../../session';
import { ChooseTheirs } from './choose-theirs';
import { FormDialog } from './dialog';
import { nameOf, useSetOffer } from './offer-calls';
import type { OfferView } from './product-view';

const MEMBERS = ['priority', 'cost', 'currency', 'guard_percent', 'player_template'] as const;
type Draft = Record<(typeof MEMBERS)[number] | 'supplier' | 'supplier_sku', string>;

const draftOf = (offer: OfferView | undefined): Draft => ({
  supplier: offer?.supplier ?? '',
  supplier_sku: offer?.supplier_sku ?? '',
  priority: String(offer?.priority ?? 1),
  cost: offer?.cost ?? '',
  currency: offer?.currency ?? 'THB',
  guard_percent: String(offer?.guard_percent ?? 5),
  player_template: offer?.player_template ?? '',
});

interface OfferFormProps {
  sku: string;
  /** Absent when the form adds an offer. */
  offer?: OfferView;
  onClose: () => void;
}

/**
 * Adds or changes an offer. It sends only changed members, because a catalogue sync may have changed others meanwhile.
 */
export function OfferForm({ sku, offer, onClose }: OfferFormProps): ReactNode {
  const t = useT();
  const set = useSetOffer(sku);
  const seesCosts = useMay('costs.read');
  const [stored] = useState(offer);
  const before = draftOf(stored);
  const [draft, setDraft] = useState(before);
  const change = (changes: Partial<Draft>): void => setDraft((known) => ({ ...known, ...changes }));
  const field = (name: keyof Draft) => ({
    label: t(`productMember.${name}`),
    value: draft[name],
    autoComplete: 'off',
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  });
  const isChanged = MEMBERS.some((member) => draft[member].trim() !== before[member]);
  return (
    <FormDialog
      title={stored ? t('offer.editTitle', { offer: nameOf(stored), sku }) : t('offer.addTitle', { sku })}
      verb={t(stored ? 'product.save' : 'offer.add')}
      isReady={draft.supplier.trim() !== '' && draft.supplier_sku.trim() !== '' && (!stored || isChanged)}
      onSubmit={() =>
        set({
          sku,
          supplier: draft.supplier.trim(),
          supplier_sku: draft.supplier_sku.trim(),
          ...changesOf(draft, stored ? before : null),
          expected_updated_at: stored?.updated_at ?? null,
        })
      }
      onClose={onClose}
    >
      {!stored && <ChooseTheirs draft={draft} onChange={change} />}
      <TextInput
        {...field('priority')}
        inputMode="numeric"
        description={t('offer.priorityHint')}
        data-autofocus={stored && true}
      />
      {(seesCosts || !stored) && <TextInput {...field('cost')} inputMode="decimal" />}
      {(seesCosts || !stored) && <TextInput {...field('currency')} maxLength={3} />}
      <TextInput {...field('guard_percent')} inputMode="decimal" description={t('offer.guardHint')} />
      <TextInput
        {...field('player_template')}
        maxLength={500}
        description={t('offer.templateHint', { user: '{user}', server: '{server}' })}
      />
    </FormDialog>
  );
}

/** @param before null when the form adds an offer. */
function changesOf(draft: Draft, before: Draft | null) {
  const given = (member: keyof Draft): string | undefined => {
    const value = draft[member].trim();
    return before === null || value !== before[member] ? value : undefined;
  };
  const [priority, cost, template] = [given('priority'), given('cost'), given('player_template')];
  const hasCost = draft.cost.trim() !== '' && (cost !== undefined || given('currency') !== undefined);
  return {
    priority: priority === undefined ? undefined : Number(priority),
    guard_percent: given('guard_percent'),
    player_template: template === undefined ? undefined : template || null,
    ...(hasCost
      ? { cost: draft.cost.trim(), currency: draft.currency.trim().toUpperCase() }
      : { cost: cost === '' && before !== null ? null : undefined }),
  };
}
