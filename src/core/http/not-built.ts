import type { Response } from 'express';

const AGAIN_AFTER_S = 3;

/** A page in the place of pages that are not there yet: the first `npm start` builds them while the service answers already. */
export function answerNotBuilt(response: Response, title: string, what: string, elsewhere: string): void {
  response.status(503);
  response.setHeader('Retry-After', String(AGAIN_AFTER_S));
  response.setHeader('Cache-Control', 'no-store');
  response.type('html').send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="${AGAIN_AFTER_S}"><title>${title}</title></head>
<body>
<h1>${title}</h1>
<p>${what} is not built yet. The first <code>npm start</code> builds it within a minute, and this page then gives way to it.
Elsewhere <code>npm run build</code> does.</p>
${elsewhere}
</body>
</html>
`);
}
