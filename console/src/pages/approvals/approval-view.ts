import type { UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { components } from '../../schema';
import { useMay, useSession } from '../../session';

export type ApprovalView = components['schemas']['ApprovalDto'];

const MAX_COUNTED = 100;

/** The open requests of all merchants or of one, newest first. */
export function useOpenRequests(merchant?: number, isEnabled = true): UseQueryResult<ApprovalView[]> {
  const mayRead = useMay('wallets.read');
  const limit = useSession()?.approval_above ?? null;
  return usePolled({
    queryKey: ['approvals', 'waiting', merchant],
    queryFn: async ({ signal }) => {
      const query = { status: 'open', merchant: merchant?.toString(), limit: MAX_COUNTED };
      return (await ask(() => client.GET('/api/approvals', { params: { query }, signal }))).data;
    },
    every: EVERY.figures,
    // Without a limit for approvals there are no requests.
    enabled: isEnabled && mayRead && limit !== null,
  });
}

/** How many requests this operator may approve. Never their own. */
export function useRequestsForMe(): { count: number; query: UseQueryResult<ApprovalView[]> } {
  const mayMove = useMay('wallets.move');
  const query = useOpenRequests(undefined, mayMove);
  const { data = [] } = query;
  return { count: mayMove ? data.filter(({ is_own: isOwn }) => !isOwn).length : 0, query };
}
