import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Loading } from '../../kit/states';
import { toast, toastFailure } from '../../kit/toasts';

interface PauseProps {
  code: string;
  onClose: () => void;
}

function useResume(code: string): () => Promise<void> {
  const t = useT();
  const queries = useQueryClient();
  return async () => {
    await ask(() => client.DELETE('/api/suppliers/{code}/pause', { params: { path: { code } } }));
    toast(t('suppliers.resumed', { supplier: code }));
    await queries.invalidateQueries({ queryKey: ['suppliers'] });
  };
}

/** Asks before it ends a pause, because a refresh of the page may have put "Resume" under the pointer. */
export function ResumeSupplier({ code, onClose }: PauseProps): ReactNode {
  const t = useT();
  const resume = useResume(code);
  return (
    <Confirm
      title={t('suppliers.resumeOne', { supplier: code })}
      verb={t('suppliers.resume')}
      isHarmless
      onConfirm={resume}
      onClose={onClose}
    >
      <p>{t('suppliers.resumeConsequence', { supplier: code })}</p>
    </Confirm>
  );
}

/** Asks for consent before it pauses a supplier, and shows how many units wait for it. */
export function PauseSupplier({ code, onClose }: PauseProps): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const resume = useResume(code);
  const { data: supplier } = useQuery({
    queryKey: ['suppliers', code],
    queryFn: ({ signal }) => ask(() => client.GET('/api/suppliers/{code}', { params: { path: { code } }, signal })),
  });
  const undo = (): void => void resume().catch(toastFailure);
  const pause = async (reason: string): Promise<void> => {
    await ask(() => client.POST('/api/suppliers/{code}/pause', { params: { path: { code } }, body: { reason } }));
    toast(t('suppliers.pausedNow', { supplier: code }), undo);
    await queries.invalidateQueries({ queryKey: ['suppliers'] });
  };
  return (
    <Confirm
      title={t('suppliers.pauseOne', { supplier: code })}
      verb={t('suppliers.pause')}
      requiresReason
      isReady={supplier !== undefined}
      onConfirm={pause}
      onClose={onClose}
    >
      {supplier ? (
        <p>
          {t('suppliers.pauseConsequence', {
            supplier: code,
            count: supplier.open_units.open - supplier.open_units.in_doubt,
          })}{' '}
          {t('suppliers.pauseDoubt', { count: supplier.open_units.in_doubt })}
        </p>
      ) : (
        <Loading rows={2} />
      )}
    </Confirm>
  );
}
