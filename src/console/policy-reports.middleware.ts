import type { RequestHandler } from 'express';
import { MINUTE_MS } from '../core/durations.js';
import { readRawBody } from '../core/http/raw-body.js';
import type { Logger } from '../core/logger.js';
import { storable } from '../core/text.js';

const MAX_BYTES = 8 * 1024;
/** In a minute, so that nobody fills the log. */
const MAX_LINES = 10;

/** Logs what browsers refused to do because of the content security policy. Nothing of it is believed or kept. */
export function policyReportsMiddleware(logger: Logger): RequestHandler {
  let [lines, sinceMs] = [0, 0];
  return (request, response, next) => {
    readRawBody(request, response, MAX_BYTES).then((body) => {
      if (performance.now() - sinceMs > MINUTE_MS) [lines, sinceMs] = [0, performance.now()];
      if (++lines <= MAX_LINES)
        logger.warn({ report: storable(body.toString('utf8'), 1_000) }, 'a browser reports a refused content');
      response.status(204).end();
    }, next);
  };
}
