import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../../api';
import { formatMoment } from '../../i18n/moments';
import { useT, useWords } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Facts } from '../../kit/page';
import { Failure, Loading } from '../../kit/states';
import { toast } from '../../kit/toasts';
import type { components } from '../../schema';

type Sync = components['schemas']['SyncDto'];
type Done = components['schemas']['SyncDoneDto'];
type Refusal = components['schemas']['SyncRefusalDto'];

/** Reads a catalogue and shows the changes before they are applied. */
export function SyncCatalogue({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const finish = useFinish(code);
  /** Whether the operator wants the preview within our own gap between readings. */
  const [isWantedNow, setWantedNow] = useState(false);
  const sync = (body: Sync): Promise<Done> =>
    ask(() => client.POST('/api/suppliers/{code}/sync', { params: { path: { code } }, body }));
  const queryKey = ['supplier-sync', code, isWantedNow];
  const { data, error } = useQuery({
    queryKey,
    queryFn: () => sync({ dry_run: true, accept: isWantedNow ? ['too_soon'] : undefined }),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const refusal = data?.refusal;
  const isShrunk = refusal?.kind === 'shrunk';
  const apply = async (): Promise<void> => {
    // The preview counts as a reading, so our own gap must not stop this one. A shrunken catalogue is applied only down to
    // the number that the operator has seen.
    const done = await sync({ dry_run: false, accept: ['too_soon'], at_least: refusal?.now ?? undefined });
    if (done.refusal?.kind === 'shrunk') queries.setQueryData(queryKey, done);
    await finish(done);
  };
  return (
    <Confirm
      title={t('suppliers.syncOne', { supplier: code })}
      verb={t(isShrunk ? 'suppliers.syncForce' : 'suppliers.syncVerb')}
      isReady={data !== undefined && (!refusal || isShrunk)}
      onConfirm={apply}
      onClose={onClose}
    >
      <div aria-live="polite">
        {error ? (
          <Failure error={error} />
        ) : data === undefined ? (
          <Loading rows={5} />
        ) : (
          <Difference done={data} onReadNow={() => setWantedNow(true)} />
        )}
      </div>
    </Confirm>
  );
}

/** Shows what was applied. @throws Error with the reason if nothing was. */
function useFinish(code: string): (done: Done) => Promise<void> {
  const { t, language, zone } = useWords();
  const queries = useQueryClient();
  const textOf = useRefusalText();
  return async ({ refusal, seen }) => {
    if (refusal?.kind === 'shrunk') throw new Error(t('suppliers.syncDiffers'));
    if (refusal?.kind === 'too_soon' && refusal.detail !== null)
      throw new Error(t('suppliers.syncWait', { at: formatMoment(refusal.detail, language, zone) }));
    if (refusal) throw new Error(textOf(refusal));
    toast(t('suppliers.synced', { supplier: code, count: seen }));
    await queries.invalidateQueries({ queryKey: ['suppliers', code] });
  };
}

/** Says why a reading changes nothing, with moments in the operator's zone. */
function useRefusalText(): (refusal: Refusal) => string {
  const { t, language, zone } = useWords();
  return ({ kind, detail }) =>
    t(`suppliers.refusal.${kind}`, {
      detail: kind === 'too_soon' && detail !== null ? formatMoment(detail, language, zone) : (detail ?? ''),
    });
}

function Difference({ done, onReadNow }: { done: Done; onReadNow: () => void }): ReactNode {
  const t = useT();
  const textOf = useRefusalText();
  const { refusal } = done;
  if (refusal)
    return (
      <>
        <p>{textOf(refusal)}</p>
        {refusal.kind === 'too_soon' && refusal.can_be_forced && (
          <Button variant="default" size="xs" onClick={onReadNow}>
            {t('suppliers.syncNow')}
          </Button>
        )}
      </>
    );
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
