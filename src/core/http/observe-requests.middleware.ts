import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { loggablePath } from './secret-path.js';
import { requestIdOf } from './request-id.middleware.js';

/** Node parses some thirty methods; those that no route serves share a name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** A path without a route, and what was refused before a route was looked for: a bad key, a full limit, an unreadable body. */
const UNKNOWN_ROUTE = 'unknown';
/** The caller went away before the answer was complete, as nginx calls it. */
const CLIENT_CLOSED_REQUEST = 499;

/** Measures every request, and writes a line about each where the level is `debug`. */
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
      if (logger.isLevelEnabled('debug')) {
        const about = { requestId: requestIdOf(request), method: request.method, path: pathOf(request) };
        logger.debug({ ...about, status, durationMs: Math.round(durationMs) }, 'request answered');
      }
    });
    next();
  };
}

/** The route's pattern, such as `/v1/orders/:reference_id`. */
function routeOf(request: Request): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? path : UNKNOWN_ROUTE;
}

/** As it was asked for: an answer may be written where a prefix has been taken off `path`. */
const pathOf = ({ originalUrl }: Request): string => loggablePath(originalUrl);
