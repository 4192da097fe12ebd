import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ask, client } from '../../api';
import { useT } from '../../i18n/words';
import { Confirm } from '../../kit/confirm';
import { toast } from '../../kit/toasts';

/** Permanently removes a supplier that nothing refers to. */
export function RemoveSupplier({ code, onClose }: { code: string; onClose: () => void }): ReactNode {
  const t = useT();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = async (reason: string): Promise<void> => {
    await ask(() => client.DELETE('/api/suppliers/{code}', { params: { path: { code }, query: { reason } } }));
    toast(t('suppliers.removed', { supplier: code }));
    await navigate({ to: '/suppliers' });
    queries.removeQueries({ queryKey: ['suppliers', code] });
    await queries.invalidateQueries({ queryKey: ['suppliers'] });
  };
  return (
    <Confirm
      title={t('suppliers.removeOne', { supplier: code })}
      verb={t('suppliers.remove')}
      requiresReason
      typed={code}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('suppliers.removeConsequence', { supplier: code })}</p>
    </Confirm>
  );
}
