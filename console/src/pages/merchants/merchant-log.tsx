import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useT } from '../../i18n/words';
import { LogOf } from '../log/log-of';
import { useMerchantId } from './merchant-view';

/** The audit log of the merchant, newest first. */
export function MerchantLog(): ReactNode {
  const t = useT();
  const id = useMerchantId();
  const { cursor } = useSearch({ from: '/shell/merchants/$id/log' });
  return (
    <LogOf
      about={{ merchant: id }}
      queryKey={['merchant', id]}
      cursor={cursor}
      linked={t('merchant.logFiltered')}
      empty={t('merchant.noLog')}
    />
  );
}
