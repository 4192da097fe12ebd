import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/public.decorator.js';

const NAME = 'Order Top-up API';

const LINKS = {
  documentation: '/docs',
  openapi: '/docs-json',
  health: '/healthz',
  readiness: '/readyz',
};

const items = Object.entries(LINKS).map(([what, link]) => `<li><a href="${link}">${what}</a></li>`);

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${NAME}</title></head>
<body>
<h1>${NAME}</h1>
<p>Requests go to <code>/v1</code>, each with the header <code>X-API-Key</code>.</p>
<ul>
${items.join('\n')}
</ul>
</body>
</html>
`;

/** Where everything is, for a browser or curl. */
@ApiExcludeController()
@Public()
@Controller()
export class HomeController {
  @Get()
  home(@Res() response: Response): void {
    const json = (): void => void response.json({ name: NAME, ...LINKS });
    // The first is for who takes anything.
    response.format({ json, html: () => void response.send(PAGE), default: json });
  }
}
