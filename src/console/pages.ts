import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { nonceOf } from './content-security-policy.js';

const PLACEHOLDER = /__CSP_NONCE__/g;
/** What is none of the pages: the API, the health checks and the browsers' reports. */
const NOT_PAGES = /^\/(api|healthz|readyz|csp-report)(\/|$)/;
const YEAR_SECONDS = 31_536_000;

/** The encodings that files are packed in beside themselves, best first. */
const PACKED = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
];

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
  const names = existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`)
    : [];
  const files = new Set(names.map((name) => name.split(path.sep).join('/')));
  const index = files.has('/index.html')
    ? readFileSync(path.join(directory, 'index.html'), 'utf8')
    : NOT_BUILT;
  return [packed(files), withoutPage(serveFiles(directory)), page(index)];
}

/** Sends a file that is there already packed, to browsers that can unpack it. */
function packed(files: Set<string>): RequestHandler {
  return (request, response, next) => {
    const { path: name } = request;
    if (!isReading(request) || !files.has(name) || name === '/index.html') return next();
    response.vary('Accept-Encoding');
    const found = PACKED.find(
      ({ encoding, extension }) =>
        files.has(name + extension) && request.acceptsEncodings(encoding) === encoding,
    );
    if (found) {
      response.type(path.extname(name)).setHeader('Content-Encoding', found.encoding);
      request.url = name + found.extension;
    }
    next();
  };
}

/** The names of files in assets change with what is in them. */
const serveFiles = (directory: string): RequestHandler =>
  express.static(directory, {
    index: false,
    redirect: false,
    setHeaders: (response, file) => {
      const isAsset = path.relative(directory, file).startsWith(`assets${path.sep}`);
      response.setHeader(
        'Cache-Control',
        isAsset ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
      );
    },
  });

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

const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';
