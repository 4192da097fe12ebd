import { useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';
import { useMay, useSession } from '../../session';
import { useRefresh } from '../merchants/merchant-view';

export type ApprovalView = components['schemas']['ApprovalDto'];

/** The most that are counted. */
const MOST = 100;

/** What waits for a second person: of all merchants or of one, the newest first. @param isAsked whether it matters. */
export function useWaiting(merchant?: number, isAsked = true): UseQueryResult<ApprovalView[]> {
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
    enabled: isAsked && mayRead && limit !== null,
  });
}

/** How many wait for whoever looks: not their own, and none for those who may not decide. */
export function useWaitingForMe(): { count: number; query: UseQueryResult<ApprovalView[]> } {
  const mayMove = useMay('wallets.move');
  const query = useWaiting(undefined, mayMove);
  const { data = [] } = query;
  return { count: mayMove ? data.filter(({ is_own: isOwn }) => !isOwn).length : 0, query };
}

/** After a decision: the lists, and the merchant's money. */
export function useDecided(): (merchant: number) => Promise<void> {
  const queries = useQueryClient();
  const refresh = useRefresh();
  return async (merchant) => {
    await Promise.all([refresh(merchant), queries.invalidateQueries({ queryKey: ['approvals'] })]);
  };
}
