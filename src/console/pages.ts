import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { answerNotBuilt, isReading, staticFiles } from '../core/http/static-files.js';
import { nonceOf } from './content-security-policy.js';

const API = '<p>Its API answers under <code>/api</code>.</p>';
const PLACEHOLDER = /__CSP_NONCE__/g;
/** Paths that are no pages: the API, the health checks and the browsers' reports. */
const NOT_PAGES = /^\/(api|healthz|readyz|csp-report)(\/|$)/;

/**
 * Serves the files of the web application. Any other address of a page gets index.html, because the application routes
 * by itself.
 * @param directory the directory of the build. While it is missing, every request looks for it again.
 */
export function pages(directory: string): RequestHandler {
  let built: Built | null = null;
  return (request, response, next) => {
    if (NOT_PAGES.test(request.path)) return next();
    built ??= open(directory);
    // index.html needs the nonce of its answer, so it is never served as a static file.
    if (built === null || request.path === '/index.html') return page(built, request, response, next);
    return built.serve(request, response, (error?: unknown) =>
      error ? next(error) : page(built, request, response, next),
    );
  };
}

interface Built {
  serve: RequestHandler;
  index: string;
}

function open(directory: string): Built | null {
  const { names, serve } = staticFiles(directory);
  if (!names.has('/index.html')) return null;
  return { serve, index: readFileSync(path.join(directory, 'index.html'), 'utf8') };
}

function page(built: Built | null, request: Request, response: Response, next: NextFunction): void {
  // A browser that asks for a file of an older build must not get index.html instead.
  if (!isReading(request) || request.path.startsWith('/assets/')) return next();
  if (built === null) return answerNotBuilt(response, 'Operator console', 'The console', API);
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(built.index.replace(PLACEHOLDER, nonceOf(response)));
}
