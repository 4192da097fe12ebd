import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { DETAIL_CODE } from './exception.filter.js';
import { loggablePath } from './secret-path.js';
import { requestIdOf } from './request-id.middleware.js';

/** The methods with their own label. Node accepts some thirty methods, and the others share the label `other`. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The label for paths without a route, and for requests refused before routing: bad key, rate limit, unreadable body. */
const UNKNOWN_ROUTE = 'unknown';
/** The codes in `details` of answers with the status 503 that are the right answers: the wallet or the account has too little. */
const NO_FAILURES = new Set(['INSUFFICIENT_BALANCE', 'NO_FREE_AMOUNT']);
/** The status for a caller that closed the connection before the answer was complete. nginx uses the same number. */
const CLIENT_CLOSED_REQUEST = 499;

/** Measures every request, and logs it at level `debug`. */
export function observeRequestsMiddleware(
  metrics: Metrics,
  logger: Logger,
): (request: Request, response: Response, next: NextFunction) => void {
  return (request, response, next) => {
    const startedAtMs = performance.now();
    response.once('close', () => {
      const durationMs = performance.now() - startedAtMs;
      const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED_REQUEST;
      const method = METHODS.has(request.method) ? request.method : 'other';
      metrics.request(method, routeOf(request), String(status), durationMs / 1000);
      if (isRefusal(response)) metrics.requestRefused();
      if (logger.isLevelEnabled('debug')) {
        const about = { requestId: requestIdOf(request), method: request.method, path: pathOf(request) };
        logger.debug({ ...about, status, durationMs: Math.round(durationMs) }, 'request answered');
      }
    });
    next();
  };
}

/** Whether the answer is a 503 that is no failure of ours. */
const isRefusal = ({ locals }: Response): boolean => NO_FAILURES.has(String(locals[DETAIL_CODE]));

/** The route's pattern, such as `/v1/orders/:reference_id`. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : UNKNOWN_ROUTE;
}

/** The original path: within a router, `path` lacks the router's prefix. */
const pathOf = ({ originalUrl }: Request): string => loggablePath(originalUrl);
