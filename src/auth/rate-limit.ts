import type { RequestHandler } from 'express';
import { rateLimit, type IncrementResponse, type Store } from 'express-rate-limit';
import { AppError } from '../core/errors.js';
import { callerOf } from './authentication.js';

const WINDOW_MS = 1_000;

/**
 * Limits the requests per second of each API key, in each process by itself, so that it never waits for a server.
 * Every answer carries the `RateLimit-*` headers.
 * @param limit 0 turns it off.
 */
export function limitRate(limit: number): RequestHandler {
  if (limit === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: WINDOW_MS,
    limit,
    store: new WindowStore(),
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    validate: false,
    keyGenerator: (request) => String(callerOf(request)?.apiKeyId),
    handler: (_request, _response, next) => {
      const message = `More than ${limit} requests per second with this API key: please slow down`;
      next(new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 }));
    },
  });
}

/**
 * Counts hits in windows. The library's own memory store hands out its live counters, and reads them only after all
 * requests of the same turn have been counted: a burst over the limit would be refused as a whole.
 */
class WindowStore implements Store {
  readonly localKeys = true;
  private windows = new Map<string, { hits: number; resetTime: Date }>();

  increment(key: string): IncrementResponse {
    const now = Date.now();
    let window = this.windows.get(key);
    if (!window || window.resetTime.getTime() <= now) {
      window = { hits: 0, resetTime: new Date(now + WINDOW_MS) };
      this.windows.set(key, window);
    }
    window.hits++;
    return { totalHits: window.hits, resetTime: window.resetTime };
  }

  decrement(key: string): void {
    const window = this.windows.get(key);
    if (window) window.hits--;
  }

  resetKey(key: string): void {
    this.windows.delete(key);
  }
}
