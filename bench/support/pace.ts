import { setTimeout as delay } from 'node:timers/promises';

/** Does work for each item at an even pace, independent of how long the work takes. @returns the results */
export async function atPace<Item, Result>(
  perSecond: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const startedMs = performance.now();
  const results: Promise<Result>[] = [];
  for (const [n, item] of items.entries()) {
    await delay(startedMs + (n * 1_000) / perSecond - performance.now());
    results.push(work(item));
  }
  return Promise.all(results);
}
