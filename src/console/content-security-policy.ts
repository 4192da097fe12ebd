import { randomBytes } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../core/config.js';
import { MINUTE_MS } from '../core/durations.js';
import { readRawBody } from '../core/http/raw-body.js';
import type { Logger } from '../core/logger.js';
import { storable } from '../core/text.js';

/** The nonce of this answer. A page's components read it in index.html: they need it to write styles into the page. */
export const nonceOf = ({ locals }: Response): string => (locals as { nonce?: string }).nonce ?? '';

/** Sets headers that let browsers load content only from the console itself, and images also from data URLs. */
export function securityHeaders({ console: { isHttps } }: Config): RequestHandler[] {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", (_request, response) => `'nonce-${nonceOf(response as Response)}'`],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        reportUri: ['/csp-report'],
      },
    },
    strictTransportSecurity: isHttps,
    xFrameOptions: { action: 'deny' },
  });
  const makeNonce: RequestHandler = (_request, response, next) => {
    (response.locals as { nonce?: string }).nonce = randomBytes(16).toString('base64');
    next();
  };
  return [makeNonce, setHeaders as RequestHandler];
}

const MAX_REPORT_BYTES = 8 * 1024;
/** In each minute, the log gets at most this many reports, so that no browser can fill the log. */
const MAX_REPORTS = 10;

/** Logs browsers' reports of content that the policy blocked. The console neither trusts nor stores these reports. */
export function policyReportsMiddleware(logger: Logger): RequestHandler {
  let [lines, sinceMs] = [0, 0];
  return (request, response, next) => {
    readRawBody(request, response, MAX_REPORT_BYTES).then((body) => {
      if (performance.now() - sinceMs > MINUTE_MS) [lines, sinceMs] = [0, performance.now()];
      if (++lines <= MAX_REPORTS)
        logger.warn(
          { report: storable(body.toString('utf8'), 1_000) },
          'a browser refused content by the security policy',
        );
      response.status(204).end();
    }, next);
  };
}
