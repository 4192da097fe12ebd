import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DepositList } from '../deposits/deposits';
import { useMerchantId } from './merchant-view';

/** The merchant's deposits, newest first. */
export function MerchantDeposits(): ReactNode {
  const id = useMerchantId();
  const { cursor, ...filters } = useSearch({ from: '/shell/merchants/$id/deposits' });
  return <DepositList filters={filters} cursor={cursor} of={String(id)} />;
}
