import { useMutation, useQuery, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { Loading } from '../../kit/states';
import { toast, toastFailure } from '../../kit/toasts';
import type { SupplierDetail } from './supplier-view';

/** Ends a pause without a dialog, because the operator can pause again. */
export function useResume(code: string): UseMutationResult<SupplierDetail, Error, void> {
  const t = useT();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => ask(() => client.DELETE('/api/suppliers/{code}/pause', { params: { path: { code } } })),
    onSuccess: async () => {
      toast(t('suppliers.resumed', { supplier: code }));
      await queries.invalidateQueries({ queryKey: ['suppliers'] });
    },
    onError: (error) => toastFailure(error),
  });
}

/** Asks for consent before it pauses a supplier, and shows how many units wait for it. */
export function PauseSupplier({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const resume = useResume(code);
  const { data: supplier } = useQuery({
    queryKey: ['suppliers', code],
    queryFn: ({ signal }) => ask(() => client.GET('/api/suppliers/{code}', { params: { path: { code } }, signal })),
  });
  const pause = async (reason: string): Promise<void> => {
    await ask(() => client.POST('/api/suppliers/{code}/pause', { params: { path: { code } }, body: { reason } }));
    toast(t('suppliers.pausedNow', { supplier: code }), () => resume.mutate());
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
