import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask, client, isProblem } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Changes, SettingsForm } from '../../kit/settings-form';
import { Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import { bodyOf, changesOf, draftOf, isComplete, isElsewhere, type Draft } from './settings-draft';
import { SettingsFields } from './settings-fields';
import type { SupplierDetail } from './supplier-view';

interface SettingsProps {
  /** The stored supplier. Absent when the form adds one. */
  supplier?: SupplierDetail;
  onClose: () => void;
}

/**
 * Adds or changes a supplier. Shows the changes first. The API rejects them if another operator has saved meanwhile. It
 * also warns before another address or account leaves open units behind.
 */
export function SupplierSettings({ supplier, onClose }: SettingsProps): ReactNode {
  const t = useT();
  // Keep the state from when the form opened, because the API compares with its `updated_at`.
  const [stored] = useState(supplier);
  const [draft, setDraft] = useState(() => draftOf(stored));
  const [isLeaving, setLeaving] = useState(false);
  const save = useSave(stored, () => setLeaving(true));
  const { data, error } = useQuery({
    queryKey: ['supplier-adapters'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/suppliers/adapters', { signal })),
    staleTime: Infinity,
  });
  const adapter = data?.data.find((each) => each.adapter === draft.adapter);
  const ofAdapter = stored?.adapter === draft.adapter ? stored.credentials : [];
  // Stored credentials must never go to another host.
  const kept = stored && adapter && isElsewhere(stored, draft, adapter) ? [] : ofAdapter;
  const dropped = ofAdapter.filter((name) => !kept.includes(name));
  const changes = stored ? changesOf(draftOf(stored), draft, adapter) : [];
  return (
    <Confirm
      title={stored ? t('suppliers.setOne', { supplier: stored.code }) : t('suppliers.add')}
      verb={t(isLeaving ? 'suppliers.saveLeaving' : stored ? 'suppliers.save' : 'suppliers.add')}
      isHarmless={!isLeaving}
      isReady={adapter !== undefined && isComplete(draft, adapter, kept) && (!stored || changes.length > 0)}
      onConfirm={async () => {
        if (adapter) await save(draft.code.trim(), bodyOf(draft, adapter, dropped), isLeaving);
      }}
      onClose={onClose}
      size="lg"
    >
      {error && <Failure error={error} />}
      {!error && !(data && adapter) && <Loading rows={8} />}
      {data && adapter && (
        <SettingsForm>
          <SettingsFields
            {...{ draft, adapter, stored: kept, isNew: stored === undefined, adapters: data.data }}
            onChange={(changed: Partial<Draft>) => {
              setLeaving(false);
              setDraft((before) => ({ ...before, ...changed }));
            }}
          />
          {stored && (
            <Changes
              title={t('suppliers.changes')}
              none={t('suppliers.noChanges')}
              changes={changes.map(({ name, old, new: next, credential }) => ({
                name,
                label: t.maybe(`suppliers.member.${name}`),
                ...(credential
                  ? { next: t(`suppliers.credential.${credential}`) }
                  : { old: old ?? '', next: next ?? '' }),
              }))}
            />
          )}
        </SettingsForm>
      )}
    </Confirm>
  );
}

/** @param onLeft called when the change would leave open units behind, which the operator must confirm. */
function useSave(
  stored: SupplierDetail | undefined,
  onLeft: () => void,
): (code: string, body: ReturnType<typeof bodyOf>, mayLeave: boolean) => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (code, body, mayLeave) => {
    try {
      await ask(() =>
        client.PUT('/api/suppliers/{code}', {
          params: { path: { code } },
          body: {
            ...body,
            leave_units: mayLeave || undefined,
            expected_updated_at: stored?.updated_at ?? null,
          },
        }),
      );
    } catch (error) {
      if (!isProblem(error) || error.details[0]?.code !== 'UNITS_LEFT_BEHIND') throw error;
      onLeft();
      const { open_units: units } = await ask(() =>
        client.GET('/api/suppliers/{code}', { params: { path: { code } } }),
      );
      throw new Error(t('suppliers.leftBehind', { supplier: code, count: units.open, doubtful: units.in_doubt }), {
        cause: error,
      });
    }
    toast(t('suppliers.saved', { supplier: code }));
    await queries.invalidateQueries({ queryKey: ['suppliers'] });
    if (!stored) await navigate({ to: '/suppliers/$code', params: { code }, search: {} });
  };
}
