import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { ConsoleStack, type TestOperator } from './console-stack.js';
import { everyOperation, fill } from './operations.js';

let console: ConsoleStack;
let admin: TestOperator;
beforeAll(async () => {
  console = await ConsoleStack.start();
  admin = await console.signedIn();
});
afterAll(() => console.close());

/** Sends exactly these headers, again while the console is busy. A client such as fetch would add others. */
const statusOf = (...sent: Parameters<typeof sendOnce>): Promise<number> =>
  eventually(
    () => sendOnce(...sent),
    (status) => status !== 503,
  );

function sendOnce(method: string, path: string, headers: Record<string, string>, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(console.url + path, { method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

const cookie = (): string => [...admin.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

const FOREIGN: [what: string, headers: Record<string, string>][] = [
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['the same site', { 'sec-fetch-site': 'same-site' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['another origin', { origin: 'https://evil.example' }],
  ['an origin without a name', { origin: 'null' }],
  ['nobody knows whom', {}],
];

describe('requests that may change something', () => {
  it.each(FOREIGN)('are refused from %s, at every route', async (_what, headers) => {
    const operations = everyOperation(console.app).filter(({ method }) => method !== 'GET');
    expect(operations.length).toBeGreaterThan(8);
    for (const { method, path } of operations) {
      const status = await statusOf(method, fill(path), { ...headers, cookie: cookie() });
      expect([method, path, status]).toEqual([method, path, 403]);
    }
    expect((await admin.browser.get('/api/session')).status).toBe(200);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'])(
    'are refused with a body of %s',
    async (type) => {
      for (const { method, path } of everyOperation(console.app)) {
        if (method === 'GET' || method === 'DELETE') continue;
        const headers = { 'sec-fetch-site': 'same-origin', 'content-type': type, cookie: cookie() };
        expect([path, [415, 429]]).toEqual([
          path,
          expect.arrayContaining([await statusOf(method, fill(path), { ...headers, 'content-length': '2' }, '{}')]),
        ]);
      }
    },
  );

  it('are accepted from the console’s own pages, also from browsers that only send Origin', async () => {
    const origin = new URL(console.url).origin;
    const body = JSON.stringify({ timezone: 'UTC' });
    const headers = { 'content-type': 'application/json', cookie: cookie() };
    const ways: Record<string, string>[] = [{ 'sec-fetch-site': 'same-origin' }, { origin }];
    for (const own of ways) expect(await statusOf('PATCH', '/api/me', { ...headers, ...own }, body)).toBe(200);
  });
});
