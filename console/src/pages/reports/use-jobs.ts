import type { UseQueryResult } from '@tanstack/react-query';
import { ask, client } from '../../api';
import { EVERY, usePolled } from '../../kit/live';
import type { JobView, ReportKind } from './job-view';

/** The jobs of a kind, newest first. @param isEnabled whether the operator may see them. */
export function useJobs(
  kind: ReportKind,
  isEnabled = true,
): UseQueryResult<{ data: JobView[]; next_cursor: string | null }> {
  return usePolled({
    queryKey: ['jobs', kind],
    queryFn: ({ signal }) => ask(() => client.GET('/api/jobs', { params: { query: { kind, limit: 50 } }, signal })),
    every: (page) => (page?.data.some(({ state }) => state === 'running') ? EVERY.openOrder : EVERY.rest),
    enabled: isEnabled,
  });
}
