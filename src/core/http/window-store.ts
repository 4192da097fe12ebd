import type { IncrementResponse, Store } from 'express-rate-limit';

/**
 * Counts hits in windows by monotonic time. The library's own memory store uses the time of day. It also returns live counters,
 * which the library reads only after all requests of an event-loop turn are counted. So the library would refuse a whole burst
 * and not only the requests over the limit.
 */
export class WindowStore implements Store {
  readonly localKeys = true;
  /** In the order in which they end, because all have the same length. */
  private readonly windows = new Map<string, { hits: number; endsAtMs: number }>();

  constructor(private readonly windowMs: number) {}

  /** The number of stored windows. */
  get size(): number {
    return this.windows.size;
  }

  /** Without `resetTime` the library assumes the length of the window, which is right to the second. */
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
