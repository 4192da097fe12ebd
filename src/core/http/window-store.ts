import type { IncrementResponse, Store } from 'express-rate-limit';

/**
 * Counts hits in windows, by a clock that nobody can set. The library's own memory store goes by the time of day; it also
 * hands out its live counters, and reads them only after all requests of the same turn have been counted, so that a burst
 * over the limit would be refused as a whole.
 */
export class WindowStore implements Store {
  readonly localKeys = true;
  /** In the order in which they end, because all are equally long. */
  private readonly windows = new Map<string, { hits: number; endsAtMs: number }>();

  constructor(private readonly windowMs: number) {}

  /** How many windows are remembered. */
  get size(): number {
    return this.windows.size;
  }

  /** The library takes a missing `resetTime` for the length of the window, which is right to the second it tells. */
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
