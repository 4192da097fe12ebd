import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import express, { type Request, type RequestHandler, type Response } from 'express';

const YEAR_SECONDS = 31_536_000;

/** The encodings of compressed copies of files, best first. */
const COMPRESSED = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'gzip', extension: '.gz' },
];

interface StaticFiles {
  /** Paths of the files, such as `/assets/main-1a2b.js`, and of their compressed copies. */
  names: ReadonlySet<string>;
  /** Answers requests for these files, compressed if the browser allows, and passes every other request on. */
  serve: RequestHandler;
}

/**
 * Serves the files that a build wrote into a folder. Reads the list of files once. A file in `assets` never changes, because
 * a changed file gets another name. A missing folder counts as empty.
 */
export function staticFiles(directory: string): StaticFiles {
  const found = existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => `/${name}`)
    : [];
  const names = new Set(found.map((name) => name.split(path.sep).join('/')));
  const sendFile = express.static(directory, {
    index: false,
    redirect: false,
    setHeaders: (response, file) => {
      const isAsset = path.relative(directory, file).startsWith(`assets${path.sep}`);
      response.setHeader('Cache-Control', isAsset ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    },
  });
  const serve: RequestHandler = (request, response, next) => {
    const { path: name } = request;
    if (!isReading(request) || !names.has(name)) return next();
    response.vary('Accept-Encoding');
    const compressed = COMPRESSED.find(
      ({ encoding, extension }) => names.has(name + extension) && request.acceptsEncodings(encoding) === encoding,
    );
    if (compressed) {
      response.type(path.extname(name)).setHeader('Content-Encoding', compressed.encoding);
      request.url = name + compressed.extension;
    }
    void sendFile(request, response, next);
  };
  return { names, serve };
}

/** Whether a request only reads. */
export const isReading = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Seconds after which a client should try again while a build runs. */
export const RETRY_AFTER_S = 3;

/** Answers a placeholder while pages are not built: on the first `npm start`, the service runs before the build ends. */
export function answerNotBuilt(response: Response, title: string, what: string, elsewhere: string): void {
  response.status(503);
  response.setHeader('Retry-After', String(RETRY_AFTER_S));
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${RETRY_AFTER_S}"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p>${what} is not built yet. The first <code>npm start</code> builds it within a minute, and then this page shows it.
Without <code>npm start</code>, run <code>npm run build</code>.</p>
${elsewhere}
</body>
</html>
`);
}
