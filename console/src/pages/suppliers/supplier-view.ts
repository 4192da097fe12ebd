import { ask, client } from '../../api';
import type { ChartTone } from '../../kit/chart';
import type { components } from '../../schema';

export type ListedSupplier = components['schemas']['ListedSupplierDto'];
export type SupplierDetail = components['schemas']['SupplierDetailDto'];
export type CatalogueItem = components['schemas']['SupplierProductDto'];

/** All suppliers with their states. */
export const suppliersQuery = {
  queryKey: ['suppliers'],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<{ data: ListedSupplier[] }> =>
    ask(() => client.GET('/api/suppliers', { signal })),
};

type Calls = components['schemas']['RecentCallsDto'];

export const callsOf = ({ outcomes }: Calls): number => outcomes.reduce((sum, { count }) => sum + count, 0);

/** The share of calls that left a unit in doubt. Null without calls. */
export function doubtOf(calls: Calls): number | null {
  const all = callsOf(calls);
  const unknown = calls.outcomes.find(({ outcome }) => outcome === 'unknown')?.count ?? 0;
  return all === 0 ? null : unknown / all;
}

export const inFlightOf = ({ breakers }: ListedSupplier): number =>
  breakers.reduce((sum, { in_flight }) => sum + in_flight, 0);

/** The outcomes of calls, in the order in which the chart stacks them. */
export const OUTCOME_TONES: readonly (readonly [string, ChartTone])[] = [
  ['succeeded', 'good'],
  ['processing', 'busy'],
  ['failed', 'bad'],
  ['not_accepted', 'quiet'],
  ['never_seen', 'accent'],
  ['unknown', 'warn'],
];
