import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { staticFiles } from '../core/http/static-files.js';

/** The merchants' documentation and the packed libraries, as `npm run build` wrote them. */
export interface Site {
  isBuilt(): boolean;
  /** Answers requests for pages and their files, and passes every other request on. */
  serve: RequestHandler;
  /** Answers a browser at an address without a page. */
  serveMissing: RequestHandler;
}

/** Served at `/` only. */
const INDEX = '/index.html';
/** Served to browsers with 404, at addresses without a page. */
const MISSING = '/404.html';
/** Addresses of files that pages load, and of the libraries. Every other address is looked up as a page. */
const FILE = /^\/assets\/|^\/sdk\/[^/]+\.tgz$/;

/**
 * The content security policy and other headers of a page: browsers load nothing from other hosts.
 * @param styles sources of styles.
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
    // Off, because operators decide whether TLS protects the API.
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });

const setHeaders = pageHeaders();

/** @param directory the built site. While it is missing, each request looks again: a build may be running. */
export function openSite(directory: string): Site {
  let files = staticFiles(directory);
  const isBuilt = (): boolean => {
    if (!files.names.has(INDEX)) files = staticFiles(directory);
    return files.names.has(INDEX);
  };
  /** The file of an address. Addresses of pages have no ending. */
  const fileOf = (address: string): string | undefined => {
    if (address === '/') return INDEX;
    const file = FILE.test(address) ? address : `${address}.html`;
    return file !== INDEX && file !== MISSING && files.names.has(file) ? file : undefined;
  };
  const send = (file: string, ...[request, response, next]: Parameters<RequestHandler>): void => {
    setHeaders(request, response, () => {
      request.url = file;
      void files.serve(request, response, next);
    });
  };
  return {
    isBuilt,
    serve: (request, response, next) => {
      const file = isBuilt() ? fileOf(request.path) : undefined;
      if (file === undefined) next();
      else send(file, request, response, next);
    },
    serveMissing: (request, response, next) => {
      send(MISSING, request, response.status(404), next);
    },
  };
}
