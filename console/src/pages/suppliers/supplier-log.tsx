import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { LogOf } from '../log/log-of';

/** The audit log of a supplier and its offers, newest first. */
export function SupplierLog({ code }: { code: string }): ReactNode {
  const t = useT();
  const { cursor } = useSearch({ from: '/shell/suppliers/$code' });
  return (
    <LogOf
      about={{ supplier: code }}
      queryKey={['suppliers', code]}
      cursor={cursor}
      linked={t('suppliers.logFiltered')}
      empty={t('suppliers.noLog')}
    />
  );
}
