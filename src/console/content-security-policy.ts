import { randomBytes } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import type { Config } from '../core/config.js';

/** Of this answer; index.html carries it, for the styles that its components write into the page. */
export const nonceOf = ({ locals }: Response): string => (locals as { nonce?: string }).nonce ?? '';

/** What a browser may do with any answer: nothing that was not named, and nothing from anywhere else. */
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
