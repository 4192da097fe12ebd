import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/expectations.js';
import { Client } from '../support/http.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

const home = (accept?: string): Promise<Response> =>
  fetch(`${stack.url}/`, { headers: accept === undefined ? {} : { accept } });

describe('the root of the API', () => {
  it.each([undefined, '*/*', 'application/json', 'image/png'])(
    'says without a key where everything is, as JSON for Accept: %s',
    async (accept) => {
      const response = await home(accept);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      expect(response.headers.get('vary')).toBe('Accept');
      expect(response.headers.get('x-request-id')).toMatch(/\S/);
      const { name, ...links } = (await response.json()) as Record<string, string>;
      expect(name).toBe('Order Top-up API');
      expect(Object.keys(links)).toEqual(['documentation', 'openapi', 'health', 'readiness']);
      for (const link of Object.values(links))
        expect([link, (await fetch(stack.url + link)).status]).toEqual([link, 200]);
    },
  );

  it('is a page with the same links for a browser', async () => {
    const response = await home('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    const html = await response.text();
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
    const { name: _, ...json } = (await (await home()).json()) as Record<string, string>;
    expect(links).toEqual(Object.values(json));
  });

  it('answers HEAD, and nothing else', async () => {
    expect((await fetch(`${stack.url}/`, { method: 'HEAD' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE'])
      expectError(await new Client(stack.url, null).send(method, '/'), 404, 'NOT_FOUND');
  });
});

describe('Swagger UI', () => {
  it('asks no other host about the document', async () => {
    const html = await (await fetch(`${stack.url}/docs`)).text();
    expect(html.match(/(?:src|href)="(?:https?:)?\/\/[^"]*"/g)).toBeNull();
    const settings = await (await fetch(`${stack.url}/docs/swagger-ui-init.js`)).text();
    expect(settings).toMatch(/"validatorUrl": ?"none"/);
  });
});
