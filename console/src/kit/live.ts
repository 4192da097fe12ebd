import { keepPreviousData, useQuery, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { Problem } from '../api';
import { createStore, useStore } from './store';

/** How often pages refresh, in milliseconds (console, section 6). */
export const EVERY = { openOrder: 2_000, list: 5_000, figures: 10_000, rest: 60_000 } as const;
const WHILE_UNREACHABLE_MS = 30_000;

/** When the operator paused the automatic refresh. Null while it runs. */
export const pausedSince = createStore<string | null>(null);

/** Whether the API does not answer, or answers with 503. */
export const unreachable = createStore(false);

export function noteAnswer(error: Error | null): void {
  if (error === null) unreachable.set(false);
  else if (error instanceof Problem) unreachable.set(error.status === 0 || error.status === 503);
}

interface Polled<Data> {
  queryKey: QueryKey;
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
  /** Null when the data never changes without an operator's action. */
  every: number | null | ((data: Data | undefined) => number | null);
  enabled?: boolean;
}

/**
 * A query that refreshes by itself while the tab is visible. It never sends a second request while the first is open,
 * and unchanged data keeps its identity, so that React does not render it again.
 */
export function usePolled<Data>({ every, ...query }: Polled<Data>): UseQueryResult<Data> {
  const isPaused = useStore(pausedSince) !== null;
  const isUnreachable = useStore(unreachable);
  return useQuery({
    ...query,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => {
      const interval = typeof every === 'function' ? every(state.data) : every;
      if (interval === null || isPaused) return false;
      return isUnreachable ? Math.max(interval, WHILE_UNREACHABLE_MS) : interval;
    },
  });
}
