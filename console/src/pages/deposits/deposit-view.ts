import type { UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';
import { useMay } from '../../session';

type Schemas = components['schemas'];
export type DepositView = Schemas['ConsoleDepositDto'];
export type PaymentView = Schemas['PaymentDto'];
export type ChannelView = Schemas['ChannelDto'];

/** All channels, on one page. */
export function useChannels(): UseQueryResult<{ data: ChannelView[] }> {
  return usePolled({
    queryKey: ['channels'],
    queryFn: ({ signal }) => ask(() => client.GET('/api/channels', { signal })),
    every: EVERY.figures,
    enabled: useMay('deposits.read'),
  });
}

const MAX_COUNTED = 100;

/** The payments for which an operator must decide, oldest first. */
export function usePaymentsFor(which: 'waiting' | 'cases'): UseQueryResult<PaymentView[]> {
  return usePolled({
    queryKey: ['payments', which, 'counted'],
    queryFn: async ({ signal }) => {
      const query = { which, limit: MAX_COUNTED };
      return (await ask(() => client.GET('/api/payments', { params: { query }, signal }))).data;
    },
    every: EVERY.figures,
    enabled: useMay('deposits.read'),
  });
}

const OLD_MS = 26 * 3_600_000;

/** Whether the last statement of an active channel was imported more than 26 hours ago. */
export const isOld = ({ status, imported_at: at }: ChannelView, nowMs = Date.now()): boolean =>
  status === 'active' && at !== null && nowMs - Date.parse(at) > OLD_MS;
