import { Controller, Get, Inject, Next, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { NextFunction, Request, Response } from 'express';
import { Public } from '../auth/api-key.guard.js';
import { AppError } from '../core/errors.js';
import { noSuchRoute } from '../core/http/exception.filter.js';
import { RETRY_AFTER_S, answerNotBuilt } from '../core/http/static-files.js';
import type { Site } from './site.js';

const NAME = 'Order Top-up API';

const LINKS = {
  documentation: '/',
  swagger: '/docs',
  openapi: '/docs-json',
  health: '/healthz',
  readiness: '/readyz',
};

const items = Object.entries(LINKS)
  .filter(([what]) => what !== 'documentation')
  .map(([what, link]) => `<li><a href="${link}">${what}</a></li>`);

/** Links to the other pages of the API. */
const LINK_LIST = `<p>Requests go to <code>/v1</code>, each with the header <code>X-API-Key</code>.</p>
<ul>
${items.join('\n')}
</ul>`;

/** Whether a browser asks for a page. Programs get errors as JSON, and so do all requests to paths of the API. */
const isForPage = (request: Request): boolean =>
  !request.path.startsWith('/v1/') && request.accepts(['json', 'html']) === 'html';

const librariesNotBuilt = (): AppError =>
  new AppError(
    'SERVICE_UNAVAILABLE',
    'The libraries are not built yet. The first npm start builds them within a minute. Without npm start, run npm run build',
    { retryAfterSeconds: RETRY_AFTER_S },
  );

export const SITE = Symbol('Site');

/** Serves the merchants' documentation at every address that no other route has. It must be the last controller. */
@ApiExcludeController()
@Public()
@Controller()
export class SiteController {
  constructor(@Inject(SITE) private readonly site: Site) {}

  /** Serves the first page, or the links as JSON to a client that prefers JSON. */
  @Get()
  home(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): void {
    response.vary('Accept');
    if (request.accepts(['html', 'json']) === 'json') response.json({ name: NAME, ...LINKS });
    else if (this.site.isBuilt()) void this.site.serve(request, response, next);
    else answerNotBuilt(response, NAME, 'The documentation', LINK_LIST);
  }

  @Get('{*page}')
  page(@Req() request: Request, @Res() response: Response, @Next() next: NextFunction): void {
    void this.site.serve(request, response, (error?: unknown) => {
      // Metrics must count this request under no route.
      delete (request as { route?: unknown }).route;
      if (error !== undefined) return next(error);
      if (this.isBeingBuilt(request)) return next(librariesNotBuilt());
      response.vary('Accept');
      if (!isForPage(request)) return next(noSuchRoute(request));
      if (this.site.isBuilt()) void this.site.serveMissing(request, response, next);
      else answerNotBuilt(response, NAME, 'The documentation', LINK_LIST);
    });
  }

  /** Whether a request is for a library, and the site with the libraries is not built. */
  private isBeingBuilt({ path }: Request): boolean {
    return path.startsWith('/sdk/') && !this.site.isBuilt();
  }
}
