import type { UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';
import { suppliersQuery, type ListedSupplier } from '../suppliers/supplier-view';

export const useNow = (): UseQueryResult<components['schemas']['FiguresNowDto']> =>
  usePolled({
    queryKey: ['figures', 'now'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/figures/now', { signal })),
    every: EVERY.figures,
  });

export type Business = components['schemas']['BusinessDto'];

export const useBusiness = (): UseQueryResult<Business> =>
  usePolled({
    queryKey: ['figures', 'business'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/figures/business', { signal })),
    every: EVERY.rest,
  });

export const useSuppliers = (): UseQueryResult<{ data: ListedSupplier[] }> =>
  usePolled({ ...suppliersQuery, every: EVERY.figures });
