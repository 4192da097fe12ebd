import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Request, RequestHandler, Response } from 'express';
import { isReading, staticFiles } from '../core/http/static-files.js';
import { nonceOf } from './content-security-policy.js';

const PLACEHOLDER = /__CSP_NONCE__/g;
/** What is none of the pages: the API, the health checks and the browsers' reports. */
const NOT_PAGES = /^\/(api|healthz|readyz|csp-report)(\/|$)/;

const NOT_BUILT = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Operator console</title></head>
<body>
<h1>The operator console is not built</h1>
<p>Build it with <code>npm run build</code>, and start this process again. Its API answers under <code>/api</code>.</p>
</body>
</html>
`;

/**
 * Serves the web application: its files, and its one page for every other address, which it reads itself.
 * @param directory where it was built.
 */
export function pages(directory: string): RequestHandler[] {
  const { names, serve } = staticFiles(directory);
  const index = names.has('/index.html')
    ? readFileSync(path.join(directory, 'index.html'), 'utf8')
    : NOT_BUILT;
  return [withoutPage(serve), page(index)];
}

/** The page itself is never served as it lies there: its nonce would be missing. */
const withoutPage =
  (serve: RequestHandler): RequestHandler =>
  (request, response, next) =>
    request.path === '/index.html' ? next() : void serve(request, response, next);

const page =
  (index: string): RequestHandler =>
  (request: Request, response: Response, next) => {
    // A file of a build that is gone must not come as a page.
    const isFile = request.path.startsWith('/assets/');
    if (!isReading(request) || NOT_PAGES.test(request.path) || isFile) return next();
    response.setHeader('Cache-Control', 'no-store');
    response.type('html').send(index.replace(PLACEHOLDER, nonceOf(response)));
  };
