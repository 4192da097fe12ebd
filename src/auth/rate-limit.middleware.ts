import type { RequestHandler } from 'express';
import { rateLimit, type IncrementResponse, type Store } from 'express-rate-limit';
import { AppError } from '../core/errors.js';
import { callerOf } from './caller.js';

const WINDOW_MS = 1_000;

/**
 * Limits the requests per second of each API key, in each process by itself, so that it never waits for a server.
 * Every answer carries the `RateLimit-*` headers.
 * @param limit 0 turns it off.
 * @param what it counts, in words. A limit of fewer routes comes behind the one of all: the headers are those of the last.
 */
export function rateLimitMiddleware(limit: number, what = 'requests'): RequestHandler {
  if (limit === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store: new WindowStore(WINDOW_MS),
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    validate: false,
    keyGenerator: (request) => String(callerOf(request)?.apiKeyId),
    handler: (_request, _response, next) => {
      const message = `More than ${limit} ${what} per second with this API key: please slow down`;
      next(new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 }));
    },
  });
}

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
