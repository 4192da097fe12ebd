import type { RequestHandler } from 'express';
import { rateLimit } from 'express-rate-limit';
import { AppError } from '../core/errors.js';
import { callerOf } from './caller.js';
import type { SharedBucketsService } from './shared-buckets.service.js';

/**
 * Limits the requests per second of each API key over all API processes, without waiting for any server. Must come
 * after the check of the key. Sets the `RateLimit-*` headers of every answer.
 * @param limit 0 turns the limit off.
 * @param what names the limited requests. A limit for some routes must come after the general one: the last limit sets
 * the headers.
 */
export function rateLimitMiddleware(shared: SharedBucketsService, limit: number, what = 'requests'): RequestHandler {
  if (limit === 0) return (_request, _response, next) => next();
  return rateLimit({
    windowMs: 1_000,
    limit,
    store: shared.open(what, limit),
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    validate: false,
    keyGenerator: (request) => String(callerOf(request)?.apiKeyId),
    handler: (_request, _response, next) => {
      const message = `More than ${limit} ${what} per second with this API key: please slow down`;
      // A full bucket needs at most a second to admit again.
      next(new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: 1 }));
    },
  });
}
