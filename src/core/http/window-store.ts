import type { IncrementResponse, Store } from 'express-rate-limit';

/**
 * Counts hits in windows by monotonic time. The memory store of express-rate-limit uses the time of day. It also returns counters
 * that change later: the library reads them only after all requests of a turn of the event loop are counted. So it would refuse
 * a whole burst, and not only the requests over the limit.
 */
export class WindowStore implements Store {
  readonly localKeys = true;
  /** The windows by key. They all have the same length, so they are in the order in which they end. */
  private readonly windows = new Map<string, { hits: number; endsAtMs: number }>();

  constructor(private readonly windowMs: number) {}

  /** The number of stored windows. */
  get size(): number {
    return this.windows.size;
  }

  /** Counts a hit. The library uses `resetTime` only for headers, which no limit with this store sends. */
  increment(key: string): IncrementResponse {
    const now = performance.now();
    let window = this.windows.get(key);
    if (!window || window.endsAtMs <= now) {
      this.forgetEnded(now);
      window = { hits: 0, endsAtMs: now + this.windowMs };
      this.windows.set(key, window);
    }
    window.hits++;
    return { totalHits: window.hits, resetTime: undefined };
  }

  decrement(key: string): void {
    const window = this.windows.get(key);
    if (window) window.hits--;
  }

  resetKey(key: string): void {
    this.windows.delete(key);
  }

  private forgetEnded(now: number): void {
    for (const [key, { endsAtMs }] of this.windows) {
      if (endsAtMs > now) return;
      this.windows.delete(key);
    }
  }
}
