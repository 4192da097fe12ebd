import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { staticFiles } from '../core/http/static-files.js';

/** The merchants' documentation, as `npm run build` wrote it. */
export interface Site {
  isBuilt(): boolean;
  /** Answers a request for one of its pages and their files, and passes every other one on. */
  serve: RequestHandler;
}

/** What is answered at `/`, and nowhere else. */
const INDEX = '/index.html';

/**
 * What a browser may do with a page: nothing that was not named, and nothing from anywhere else.
 * @param styles where its styles come from.
 */
export const pageHeaders = (styles: string[] = ["'self'"]): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: styles,
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
      },
    },
    // Whether there is TLS before the API is its operator's business.
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });

const setHeaders = pageHeaders();

/** @param directory where the site was built. While it is missing, it is looked for again: it may be built meanwhile. */
export function openSite(directory: string): Site {
  let files = staticFiles(directory);
  const isBuilt = (): boolean => {
    if (!files.names.has(INDEX)) files = staticFiles(directory);
    return files.names.has(INDEX);
  };
  /** The file of an address: pages have no ending there. */
  const fileOf = (address: string): string | undefined => {
    if (address === '/') return INDEX;
    const file = address.startsWith('/assets/') ? address : `${address}.html`;
    return file !== INDEX && files.names.has(file) ? file : undefined;
  };
  const serve: RequestHandler = (request, response, next) => {
    const file = isBuilt() ? fileOf(request.path) : undefined;
    if (file === undefined) return next();
    setHeaders(request, response, () => {
      request.url = file;
      files.serve(request, response, next);
    });
  };
  return { isBuilt, serve };
}
