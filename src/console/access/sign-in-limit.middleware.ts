import type { RequestHandler } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import { WindowStore } from '../../core/http/window-store.js';
import { AppError } from '../../core/errors.js';

const WINDOW_MS = 60_000;
const PER_WINDOW = 10;

/** Ten passwords or codes a minute from one address, or one network of IPv6, before a hash is made of any. */
export function signInLimitMiddleware(): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    limit: PER_WINDOW,
    store: new WindowStore(WINDOW_MS),
    standardHeaders: false,
    legacyHeaders: false,
    validate: false,
    skip: ({ method }) => method !== 'POST',
    keyGenerator: ({ ip }) => ipKeyGenerator(ip ?? ''),
    handler: (_request, _response, next) => {
      const message = `More than ${PER_WINDOW} attempts a minute from this address: please wait a minute`;
      next(new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: WINDOW_MS / 1000 }));
    },
  });
}
