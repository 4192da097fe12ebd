import { keepPreviousData, useQuery, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { Problem } from '../api';
import { createStore, useStore } from './store';

/** How often what is shown is asked for again, in milliseconds (console, section 6). */
export const EVERY = { openOrder: 2_000, list: 5_000, figures: 10_000, rest: 60_000 } as const;
const WHILE_UNREACHABLE_MS = 30_000;

/** Since when nothing refreshes by itself; null while it does. */
export const pausedSince = createStore<string | null>(null);

/** Whether the process does not answer, or answers that it can't. */
export const unreachable = createStore(false);

export function noteAnswer(error: Error | null): void {
  if (error === null) unreachable.set(false);
  else if (error instanceof Problem) unreachable.set(error.status === 0 || error.status === 503);
}

interface Polled<Data> {
  queryKey: QueryKey;
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
  /** Null where it never changes by itself. */
  every: number | null | ((data: Data | undefined) => number | null);
  enabled?: boolean;
}

/**
 * What the process answers, asked for again by itself while the tab is visible. A question that is still open is not asked a
 * second time, and what did not change keeps its identity, so that it is not drawn again.
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
