import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';

export type MerchantView = components['schemas']['ConsoleMerchantDto'];
export type WalletView = components['schemas']['MerchantWalletDto'];
export type EntryView = components['schemas']['ConsoleEntryDto'];
export type KeyView = components['schemas']['ConsoleKeyDto'];
export type PriceView = components['schemas']['MerchantPriceDto'];

/** The id of the merchant in the address. */
export const useMerchantId = (): number => Number(useParams({ from: '/shell/merchants/$id' }).id);

export function useMerchant(): UseQueryResult<MerchantView> {
  const id = useMerchantId();
  return usePolled({
    queryKey: ['merchant', id],
    queryFn: ({ signal }) => ask(() => client.GET('/api/merchants/{id}', { params: { path: { id } }, signal })),
    every: EVERY.figures,
  });
}

/** Refreshes everything about a merchant after a change. */
export function useRefresh(): (id: number) => Promise<void> {
  const queries = useQueryClient();
  return async (id) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['merchant', id] }),
      queries.invalidateQueries({ queryKey: ['merchants'] }),
    ]);
  };
}

const MAX_COUNTED = 100;

/** How many open orders a merchant has, with a `+` when there are more than the console counts. */
export function useOpenOrders(merchant: number): UseQueryResult<string> {
  return useQuery({
    queryKey: ['merchant', merchant, 'open-orders'],
    queryFn: async ({ signal }) => {
      const query = { merchant: String(merchant), status: 'pending,processing', limit: MAX_COUNTED };
      const { data, next_cursor } = await ask(() => client.GET('/api/orders', { params: { query }, signal }));
      return `${data.length}${next_cursor === null ? '' : '+'}`;
    },
  });
}
