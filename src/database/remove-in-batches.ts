import { setTimeout as delay } from 'node:timers/promises';

const BATCH = 1_000;
/** Between batches, so that removing hardly slows orders. */
const PAUSE_MS = 100;

/**
 * Removes rows in small batches until none is left or the process stops.
 * @param removeSome removes at most `limit` rows and returns how many it removed.
 * @returns how many rows it removed.
 */
export async function removeInBatches(
  removeSome: (limit: number) => Promise<number>,
  stop: AbortSignal,
): Promise<number> {
  for (let total = 0; ; await delay(PAUSE_MS)) {
    const removed = await removeSome(BATCH);
    total += removed;
    if (removed < BATCH || stop.aborted) return total;
  }
}
