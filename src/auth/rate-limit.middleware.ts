import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { CONFIG, type Config } from '../core/config.js';
import { AppError } from '../core/errors.js';
import { callerOf } from './authentication.js';

/**
 * Limits the requests per second of each API key, in each process by itself, so that it never waits for a server.
 * Every answer carries the `RateLimit-*` headers.
 */
@Injectable()
export class RateLimitMiddleware implements NestMiddleware {
  private readonly handler: RequestHandler;

  constructor(@Inject(CONFIG) { RATE_LIMIT_PER_SECOND: limit }: Config) {
    if (limit === 0) {
      this.handler = (_request, _response, next) => next();
      return;
    }
    this.handler = rateLimit({
      windowMs: 1_000,
      limit,
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

  use(request: Request, response: Response, next: NextFunction): void {
    void this.handler(request, response, next);
  }
}
