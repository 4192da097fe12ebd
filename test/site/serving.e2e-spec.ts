import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApi } from '../../src/bootstrap.js';
import { Metrics } from '../../src/core/metrics.js';
import { PACKAGE } from '../sdk/built-sdk.js';
import { expectError } from '../support/expectations.js';
import { Client } from '../support/http.js';
import { TestStack } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { attributes, BUILT, PAGES, pageAt, readBuilt } from './built-site.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

const ofBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const anonymous = (): Client => new Client(stack.url, null);

/** The size on the wire, and its encoding; fetch would decompress. */
function packed(address: string, encoding: string): Promise<[size: number, encoding: unknown]> {
  return new Promise((resolve, reject) => {
    const sent = request(stack.url + address, { headers: { 'accept-encoding': encoding } }, (response) => {
      let size = 0;
      response.on('data', (chunk: Buffer) => (size += chunk.length));
      response.once('end', () => resolve([size, response.headers['content-encoding']]));
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('the root of the API', () => {
  it.each([undefined, '*/*', ofBrowser.accept, 'image/png'])(
    'is the documentation, without a key, for Accept: %s',
    async (accept) => {
      const response = await fetch(stack.url, { headers: accept === undefined ? {} : { accept } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await response.text()).toBe(pageAt('/'));
      expect(response.headers.get('vary')).toMatch(/Accept/);
      expect(response.headers.get('x-request-id')).toMatch(/\S/);
    },
  );

  it('has the addresses of everything as JSON, for programs that accept only JSON', async () => {
    const response = await fetch(stack.url, { headers: { accept: 'application/json' } });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const { name, ...links } = (await response.json()) as Record<string, string>;
    expect(name).toBe('Order Top-up API');
    expect(Object.keys(links)).toEqual(['documentation', 'swagger', 'openapi', 'health', 'readiness']);
    for (const link of Object.values(links))
      expect([link, (await fetchServed(stack.url + link)).status]).toEqual([link, 200]);
  });

  it('answers HEAD, and no other methods', async () => {
    const { status, headers } = await fetch(stack.url, { method: 'HEAD' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const method of ['POST', 'PUT', 'DELETE'])
      for (const address of ['/', '/concepts']) expectError(await anonymous().send(method, address), 404, 'NOT_FOUND');
  });

  it('answers that the documentation is not built yet, and shows it once it is built', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'site-'));
    const siteFrom = path.join(directory, 'site');
    const api = await createApi(stack.config, stack.logger, { siteFrom });
    await api.listen(0, '127.0.0.1');
    try {
      const response = await fetch(stack.urlOf(api), { headers: ofBrowser });
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('npm run build')]);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await fetch(`${stack.urlOf(api)}/concepts`)).status).toBe(404);
      expect((await fetch(`${stack.urlOf(api)}/concepts`, { headers: ofBrowser })).status).toBe(503);
      const library = await fetch(`${stack.urlOf(api)}/sdk/${PACKAGE}`);
      expect([library.status, await library.json(), library.headers.get('retry-after')]).toEqual([
        503,
        {
          status: 503,
          code: 'SERVICE_UNAVAILABLE',
          message: expect.stringContaining('The libraries are not built yet'),
        },
        expect.stringMatching(/^\d+$/),
      ]);

      cpSync(BUILT, siteFrom, { recursive: true });
      const found = await fetch(stack.urlOf(api), { headers: ofBrowser });
      expect([found.status, await found.text()]).toEqual([200, pageAt('/')]);
      for (const address of ['/concepts', `/sdk/${PACKAGE}`])
        expect([address, (await fetch(stack.urlOf(api) + address)).status]).toEqual([address, 200]);
    } finally {
      await api.close();
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the documentation', () => {
  it('has a content security policy that allows only what its pages need', async () => {
    const { headers } = await fetch(`${stack.url}/concepts`);
    expect(headers.get('content-security-policy')?.split(/;\s*/)).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('has every page at its address, and all files that the pages load', async () => {
    for (const [address, html] of PAGES) {
      const response = await fetch(stack.url + address);
      expect([address, response.status, await response.text()]).toEqual([address, 200, html]);
    }
    const assets = [...attributes(pageAt('/'), 'href'), ...attributes(pageAt('/'), 'src')].filter((each) =>
      each.startsWith('/assets/'),
    );
    for (const asset of [...assets, ...attributes(pageAt('/'), 'data-index')]) {
      const { status, headers } = await fetch(stack.url + asset);
      expect([asset, status]).toEqual([asset, 200]);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('is checked by browsers each time, and sent again only if it changed', async () => {
    const { headers } = await fetch(`${stack.url}/concepts`);
    expect(headers.get('cache-control')).toBe('no-cache');
    const again = await fetch(`${stack.url}/concepts`, {
      headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=0' },
    });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('is compressed if the browser allows it', async () => {
    const whole = Buffer.byteLength(pageAt('/concepts'));
    expect(await packed('/concepts', 'identity')).toEqual([whole, undefined]);
    for (const encoding of ['br', 'gzip']) {
      const [size, sent] = await packed('/concepts', encoding);
      expect([sent, size < whole / 2]).toEqual([encoding, true]);
    }
  });

  it('serves no other address than that of a page or asset', async () => {
    const notServed = [
      '/..%2fpackage.json',
      '/assets/..%2findex.html',
      '/concepts.html',
      '/concepts.html.br',
      '/concepts/',
      '/assets/gone.js',
      '/assets',
      '/guides',
      '/index',
    ];
    for (const address of notServed) expectError(await anonymous().send('GET', address), 404, 'NOT_FOUND');
  });
});

describe('a wrong address', () => {
  it('is answered to a browser with a page that leads on, and to programs with an error', async () => {
    for (const address of ['/nope', '/404', '/th/nope', '/concepts/', '/concepts.html']) {
      const response = await fetch(stack.url + address, { headers: ofBrowser });
      expect([address, response.status, await response.text()]).toEqual([address, 404, readBuilt('404.html')]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(response.headers.get('vary')).toMatch(/Accept\b(?!-)/);
    }
    for (const accept of ['application/json', '*/*', 'image/png']) {
      const response = await fetch(`${stack.url}/nope`, { headers: { accept } });
      expect([accept, response.status, await response.json()]).toEqual([
        accept,
        404,
        { status: 404, code: 'NOT_FOUND', message: 'There is no GET /nope' },
      ]);
    }
    const { key } = await stack.merchant();
    const inApi = await fetchServed(`${stack.url}/v1/nope`, { headers: { ...ofBrowser, 'x-api-key': key } });
    expect([inApi.status, await inApi.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
    const posted = await fetch(`${stack.url}/nope`, { method: 'POST', headers: ofBrowser });
    expect([posted.status, await posted.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });
});

describe('the API beside the documentation', () => {
  it('gives its usual answers with any Accept header of a browser', async () => {
    const { body, status } = await anonymous().send('GET', '/no-such-page');
    expect([status, body]).toEqual([404, { status: 404, code: 'NOT_FOUND', message: 'There is no GET /no-such-page' }]);
    const asBrowser = await fetch(`${stack.url}/v1/nope`, { headers: ofBrowser });
    expect([asBrowser.status, await asBrowser.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'UNAUTHORIZED' }),
    ]);
    const merchant = await stack.merchant();
    expectError(await merchant.client.send('GET', '/v1/nope'), 404, 'NOT_FOUND');
    for (const [address, type] of [
      ['/docs', 'text/html'],
      ['/docs-json', 'application/json'],
      ['/healthz', 'application/json'],
      ['/readyz', 'application/json'],
    ]) {
      const { status: answered, headers } = await fetchServed(`${stack.url}${address}`, { headers: ofBrowser });
      expect([address, answered, headers.get('content-type')]).toEqual([
        address,
        200,
        expect.stringContaining(type ?? ''),
      ]);
    }
  });

  it('counts an unknown path as unknown in the metrics', async () => {
    await anonymous().send('GET', '/counted-as-unknown');
    await fetch(`${stack.url}/concepts`);
    const text = await stack.api.get(Metrics).registry.metrics();
    expect(text).toMatch(/route="unknown",status="404"/);
    expect(text).not.toMatch(/route="\/\{\*page\}",status="404"/);
    expect(text).toMatch(/route="\/\{\*page\}",status="200"/);
  });
});

describe('Swagger UI', () => {
  it('does not send the document to a validator at another host', async () => {
    const html = await (await fetch(`${stack.url}/docs`)).text();
    expect(html.match(/(?:src|href)="(?:https?:)?\/\/[^"]*"/g)).toBeNull();
    const settings = await (await fetch(`${stack.url}/docs/swagger-ui-init.js`)).text();
    expect(settings).toMatch(/"validatorUrl": ?"none"/);
  });

  it('has the headers of the other pages, except for the styles that it writes itself', async () => {
    const headersOf = async (address: string): Promise<Record<string, string | null>> => {
      const { headers } = await fetch(stack.url + address);
      const names = ['content-security-policy', 'x-frame-options', 'x-content-type-options', 'referrer-policy'];
      return Object.fromEntries(names.map((name) => [name, headers.get(name)]));
    };
    const page = await headersOf('/concepts');
    expect(Object.values(page)).not.toContain(null);
    const policy = page['content-security-policy']?.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
    for (const address of ['/docs', '/docs/', '/docs/swagger-ui-init.js', '/docs-json'])
      expect([address, await headersOf(address)]).toEqual([address, { ...page, 'content-security-policy': policy }]);
  });

  it('has a way back to the documentation', async () => {
    const html = await (await fetch(`${stack.url}/docs`)).text();
    const [, script = ''] = /<script src='([^']*back[^']*)'/.exec(html) ?? [];
    expect(await (await fetch(stack.url + script)).text()).toContain("link.href = '/'");
  });

  it('stores no key in the browser', async () => {
    const settings = await (await fetch(`${stack.url}/docs/swagger-ui-init.js`)).text();
    expect(settings).toContain('displayRequestDuration');
    expect(settings).not.toMatch(/"persistAuthorization": ?true/);
  });
});
