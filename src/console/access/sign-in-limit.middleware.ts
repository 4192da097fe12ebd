import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { WindowStore } from '../../core/http/window-store.js';
import { AppError } from '../../core/errors.js';

const WINDOW_MS = 60_000;

/**
 * Limits POST requests from one address, or from one IPv6 network, before the console hashes a password or calls the
 * company's provider. All paths with the same handler share the limit.
 */
export function signInLimitMiddleware(perMinute: number): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: perMinute,
    store: new WindowStore(WINDOW_MS),
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    skip: ({ method }) => method !== 'POST',
    keyGenerator: ({ ip }) => ipKeyGenerator(ip ?? ''),
    handler: (_request, _response, next) => {
      const message = `More than ${perMinute} attempts a minute from this address: please wait a minute`;
      next(new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: WINDOW_MS / 1000 }));
    },
  });
}
