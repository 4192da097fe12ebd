import type { RequestHandler } from 'express';
import { AppError } from '../../core/errors.js';

const READING = new Set(['GET', 'HEAD']);

/**
 * Refuses a request that may change something, unless the browser reports that a page of the console sent it. Browsers report
 * this by `Sec-Fetch-Site`. Without that header, `Origin` must have the host of the console or of the request.
 * @param url of the console.
 */
export function sameOriginMiddleware(url: string): RequestHandler {
  const { host: ownHost } = new URL(url);
  return ({ method, headers }, _response, next) => {
    const site = headers['sec-fetch-site'];
    const isOwn = site === undefined ? isOwnOrigin(headers.origin) : site === 'same-origin';
    if (READING.has(method) || isOwn) return next();
    next(new AppError('FORBIDDEN', 'Only pages of the console may send this request'));

    function isOwnOrigin(origin: string | undefined): boolean {
      if (origin === undefined || !URL.canParse(origin)) return false;
      const { host } = new URL(origin);
      return host === ownHost || host === headers.host;
    }
  };
}
