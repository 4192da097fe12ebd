import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Facts } from '../../kit/page';
import { Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';

type Done = components['schemas']['SyncDoneDto'];

/** Reads a catalogue and shows the changes before they are applied. */
export function SyncCatalogue({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const sync = (body: { dry_run: boolean; force?: boolean }): Promise<Done> =>
    ask(() => client.POST('/api/suppliers/{code}/sync', { params: { path: { code } }, body }));
  const { data, error } = useQuery({
    queryKey: ['supplier-sync', code],
    queryFn: () => sync({ dry_run: true }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const apply = async (): Promise<void> => {
    // The operator has seen the changes, and the preview counts as a read: our own gap between reads must not stop this
    // one.
    const done = await sync({ dry_run: false, force: true });
    if (done.refusal)
      throw new Error(t(`suppliers.refusal.${done.refusal.kind}`, { detail: done.refusal.detail ?? '' }));
    toast(t('suppliers.synced', { supplier: code, count: done.seen }));
    await queries.invalidateQueries({ queryKey: ['suppliers', code] });
  };
  const refusal = data?.refusal;
  return (
    <Confirm
      title={t('suppliers.syncOne', { supplier: code })}
      verb={t(refusal ? 'suppliers.syncForce' : 'suppliers.syncVerb')}
      isReady={data !== undefined && (!refusal || refusal.can_be_forced)}
      onConfirm={apply}
      onClose={onClose}
    >
      <div aria-live="polite">
        {error ? <Failure error={error} /> : data === undefined ? <Loading rows={5} /> : <Difference done={data} />}
      </div>
    </Confirm>
  );
}

function Difference({ done }: { done: Done }): ReactNode {
  const t = useT();
  const { refusal } = done;
  if (refusal) return <p>{t(`suppliers.refusal.${refusal.kind}`, { detail: refusal.detail ?? '' })}</p>;
  return (
    <>
      <p>{t('suppliers.syncWould')}</p>
      <Facts
        facts={[
          [t('suppliers.diff.seen'), done.seen],
          [t('suppliers.diff.added'), done.added],
          [t('suppliers.diff.removed'), done.removed],
          [t('suppliers.diff.price'), done.price_changed],
          [t('suppliers.diff.availability'), done.availability_changed],
        ]}
      />
    </>
  );
}
