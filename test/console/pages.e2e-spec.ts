import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fetchServed } from '../support/until-served.js';
import { ConsoleStack } from './console-stack.js';

const INDEX = '<!doctype html><style nonce="__CSP_NONCE__"></style><meta name="nonce" content="__CSP_NONCE__">';
const SCRIPT = 'console.log("a script that is long enough to be packed")';

let directory: string;
let built: ConsoleStack;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'console-pages-'));
  mkdirSync(path.join(directory, 'assets'));
  mkdirSync(path.join(directory, '.vite'));
  writeFileSync(path.join(directory, 'index.html'), INDEX);
  writeFileSync(path.join(directory, 'theme.js'), 'theme');
  writeFileSync(path.join(directory, '.vite', 'manifest.json'), '{}');
  writeFileSync(path.join(directory, 'assets', 'main-1a2b.js'), SCRIPT);
  writeFileSync(path.join(directory, 'assets', 'main-1a2b.js.br'), brotliCompressSync(SCRIPT));
  built = await ConsoleStack.start({}, { pagesFrom: directory });
});
afterAll(async () => {
  await built.close();
  rmSync(directory, { recursive: true });
});

const nonceOf = (policy: string | null): string => /'nonce-([^']+)'/.exec(policy ?? '')?.[1] ?? 'none';

/** The bytes on the wire, because fetch would decompress them. */
function rawSize(url: string, encoding: string): Promise<[size: number, encoding: unknown, type: unknown]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'accept-encoding': encoding } }, (response) => {
      let size = 0;
      response.on('data', (chunk: Buffer) => (size += chunk.length));
      response.once('end', () =>
        resolve([size, response.headers['content-encoding'], response.headers['content-type']]),
      );
    });
    sent.once('error', reject);
    sent.end();
  });
}

describe('the pages', () => {
  it('are one HTML page at every address, with a new nonce each time', async () => {
    const nonces = new Set<string>();
    for (const address of ['/', '/orders?status=failed', '/orders/ord_1', '/login', '/index.html']) {
      const response = await fetch(built.url + address);
      const nonce = nonceOf(response.headers.get('content-security-policy'));
      expect([address, response.status, await response.text()]).toEqual([
        address,
        200,
        INDEX.replaceAll('__CSP_NONCE__', nonce),
      ]);
      expect(response.headers.get('cache-control')).toBe('no-store');
      nonces.add(nonce);
    }
    expect(nonces.size).toBe(5);
  });

  it('have a content security policy that allows only what they need', async () => {
    const { headers } = await fetch(built.url);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.replace(nonceOf(policy), '…').split(/;\s*/)).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self' 'nonce-…'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "manifest-src 'self'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      'report-uri /csp-report',
    ]);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('have assets that never change, compressed if the browser allows it', async () => {
    const url = `${built.url}/assets/main-1a2b.js`;
    const response = await fetch(url);
    expect(await response.text()).toBe(SCRIPT);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(await rawSize(url, 'br')).toEqual([
      brotliCompressSync(SCRIPT).length,
      'br',
      expect.stringContaining('javascript'),
    ]);
    expect(await rawSize(url, 'identity')).toEqual([SCRIPT.length, undefined, expect.stringContaining('javascript')]);
    expect((await fetch(`${built.url}/assets/main-gone.js`)).status).toBe(404);
    expect((await fetch(`${built.url}/theme.js`)).headers.get('cache-control')).toBe('no-cache');
  });

  it('serve no files outside of their directory', async () => {
    for (const address of ['/.vite/manifest.json', '/..%2fpackage.json', '/assets/..%2f..%2fpackage.json']) {
      const text = await (await fetch(built.url + address)).text();
      expect([address, text === '{}' || text.includes('dependencies')]).toEqual([address, false]);
    }
  });

  it('answer that they are not built yet, and work once they are built', async () => {
    const target = path.join(directory, 'later');
    const early = await ConsoleStack.start({}, { pagesFrom: target });
    try {
      const response = await fetch(`${early.url}/orders`);
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('npm run build')]);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect((await fetch(`${early.url}/assets/main-1a2b.js`)).status).toBe(404);

      mkdirSync(target);
      writeFileSync(path.join(target, 'index.html'), INDEX);
      const found = await fetch(`${early.url}/orders`);
      expect([found.status, await found.text()]).toEqual([200, expect.stringContaining('<!doctype html>')]);
    } finally {
      await early.close();
    }
  });

  it('accept reports of policy violations, and store nothing', async () => {
    const report = { 'content-type': 'application/csp-report' };
    const send = (body: string): Promise<Response> =>
      fetch(`${built.url}/csp-report`, { method: 'POST', headers: report, body });
    expect((await send('{"csp-report":{}}')).status).toBe(204);
    expect((await send('x'.repeat(10_000))).status).toBe(413);
  });

  it('do not hide the health checks; answers of the API are never cached', async () => {
    expect(await (await fetch(`${built.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetchServed(`${built.url}/readyz`)).json()).toEqual({ status: 'ready' });
    const { status, headers } = await fetch(`${built.url}/api/session`);
    expect([status, headers.get('cache-control')]).toEqual([401, 'no-store']);
  });
});
