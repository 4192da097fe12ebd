import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { OrderList } from '../orders/orders';
import { useMerchantId } from './merchant-view';

/** The merchant's orders, newest first. */
export function MerchantOrders(): ReactNode {
  const id = useMerchantId();
  const { cursor, ...filters } = useSearch({ from: '/shell/merchants/$id/orders' });
  return <OrderList filters={filters} cursor={cursor} of={String(id)} />;
}
