import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';
import { useMay, useSession } from '../../session';

export type ApprovalView = components['schemas']['ApprovalDto'];
export type ApprovalStatus = ApprovalView['status'];

/** The most that are counted. */
const MOST = 100;

/** What waits for a second person: of all merchants or of one, the newest first. */
export function useWaiting(merchant?: number): UseQueryResult<ApprovalView[]> {
  const mayRead = useMay('wallets.read');
  const limit = useSession()?.approval_above ?? null;
  return usePolled({
    queryKey: ['approvals', 'waiting', merchant],
    queryFn: async ({ signal }) => {
      const query = { status: 'open' as const, merchant, limit: MOST };
      return (await ask(() => client.GET('/api/approvals', { params: { query }, signal }))).data;
    },
    every: EVERY.figures,
    // Where nobody has to approve anything, nobody asks.
    enabled: mayRead && limit !== null,
  });
}

/** How many wait for whoever looks: not their own, and none for those who may not decide. */
export function useWaitingForMe(): { count: number; query: UseQueryResult<ApprovalView[]> } {
  const mayMove = useMay('wallets.move');
  const query = useWaiting();
  const { data = [] } = query;
  return { count: mayMove ? data.filter(({ is_own: isOwn }) => !isOwn).length : 0, query };
}

/** After a decision: the lists, and the merchant's money. */
export function useDecided(): (merchant: number) => Promise<void> {
  const queries = useQueryClient();
  return async (merchant) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['approvals'] }),
      queries.invalidateQueries({ queryKey: ['merchant', merchant] }),
      queries.invalidateQueries({ queryKey: ['merchants'] }),
    ]);
  };
}
