import { UNBOUNDED_MS } from './counted.js';

export interface Bucket {
  up_to_ms: number;
  count: number;
}

/**
 * Estimates a percentile in whole milliseconds, as if the durations in a bucket were spread evenly. Null without durations.
 * @param buckets the smallest first; empty buckets may be missing.
 * @param share such as 0.95 for the 95th percentile.
 * @param bounds the upper bounds of all buckets, ascending.
 */
export function percentile(buckets: readonly Bucket[], share: number, bounds: readonly number[]): number | null {
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return null;
  let below = 0;
  for (const { up_to_ms: upTo, count } of buckets) {
    if (below + count >= total * share) {
      const from = bounds.filter((bound) => bound < upTo).at(-1) ?? 0;
      // The last bucket has no upper bound.
      const width = upTo === UNBOUNDED_MS ? 0 : upTo - from;
      return Math.round(from + ((total * share - below) / count) * width);
    }
    below += count;
  }
  return buckets.at(-1)?.up_to_ms ?? null;
}
