import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { Client } from '../support/http.js';
import { sendRaw } from '../support/raw-http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;
/** Values that a caller may send instead of a working key; undefined for no header. */
const keys: Record<string, string | undefined> = {};

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant();
  sku = await stack.product();
  const issue = async (): Promise<{ id: number; key: string }> => {
    const { apiKey, key } = await stack.api.get(ApiKeysService).issue(merchant.id);
    return { id: apiKey.id, key };
  };
  const revoked = await issue();
  await stack.api.get(ApiKeysService).revoke(revoked.id);
  const expired = await issue();
  await stack.sql(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired.id]);
  const last = merchant.key.at(-1) === 'A' ? 'B' : 'A';
  Object.assign(keys, {
    missing: undefined,
    empty: '',
    malformed: 'not a key',
    'too long': `${merchant.key}x`,
    'too short': merchant.key.slice(0, -1),
    unknown: merchant.key.slice(0, -1) + last,
    'in another case': merchant.key.toUpperCase(),
    'in the form of another scheme': `Bearer ${merchant.key}`,
    revoked: revoked.key,
    expired: expired.key,
  });
});

afterAll(() => closeWithBalancedBooks(stack));

const withoutKey = (): Client => new Client(stack.url, null);

const keyHeader = (kind: string): Record<string, string> => {
  const key = keys[kind];
  return key === undefined ? {} : { 'x-api-key': key };
};

const order = { reference_id: 'r-1', user_id: 'player-1', items: [{ sku: 'SKU' }] };

const endpoints: [method: string, path: string, body?: unknown][] = [
  ['POST', '/v1/orders', order],
  ['GET', '/v1/orders/r-1'],
  ['GET', '/v1/merchant-webhooks'],
  ['POST', '/v1/merchant-webhooks', { url: 'https://example.com/hook' }],
  ['GET', '/v1/merchant-webhooks/1'],
  ['PATCH', '/v1/merchant-webhooks/1', { status: 'inactive' }],
  ['DELETE', '/v1/merchant-webhooks/1'],
  ['GET', '/v1/orders'],
  ['GET', '/v1/wallet'],
  ['GET', '/v1/wallet/entries'],
  ['GET', '/v1/products'],
  ['GET', '/v1/products/SKU'],
];

const kinds = [
  'missing',
  'empty',
  'malformed',
  'too long',
  'too short',
  'unknown',
  'in another case',
  'in the form of another scheme',
  'revoked',
  'expired',
];

describe('5 Authentication', () => {
  describe.each(endpoints)('%s %s', (method, path, body) => {
    it.each(kinds)('401 UNAUTHORIZED when the API key is %s', async (kind) => {
      const answer = await withoutKey().send(method, path, body, keyHeader(kind));
      expectError(answer, 401, 'UNAUTHORIZED', 'Invalid or missing API key');
    });
  });

  it('the message states that the API key is invalid or missing', async () => {
    const { message } = expectError(await withoutKey().get('/v1/wallet'), 401, 'UNAUTHORIZED');
    expect(message).toMatch(/API key/i);
    expect(message).toMatch(/invalid/i);
    expect(message).toMatch(/missing/i);
  });

  it('a working key is accepted with any case of the header’s name', async () => {
    expect((await withoutKey().get('/v1/wallet', { 'x-api-key': merchant.key })).status).toBe(200);
    expect((await withoutKey().get('/v1/wallet', { 'X-API-KEY': merchant.key })).status).toBe(200);
  });

  it('a merchant may have several keys, and all of them work', async () => {
    const second = await stack.api.get(ApiKeysService).issue(merchant.id);
    const reference_id = unique('order');
    const request = { reference_id, user_id: 'player-1', items: [{ sku }] };
    expect((await merchant.client.post('/v1/orders', request)).status).toBe(200);
    expect((await new Client(stack.url, second.key).get(`/v1/orders/${reference_id}`)).status).toBe(200);
  });

  it('two keys in one request count as no key', async () => {
    const answer = await sendRaw(
      stack.url,
      `GET /v1/wallet HTTP/1.1\r\nHost: x\r\nX-API-Key: ${merchant.key}\r\nX-API-Key: ${merchant.key}\r\n\r\n`,
    );
    expectError(answer, 401, 'UNAUTHORIZED');
  });

  it('there is no endpoint to obtain a key', async () => {
    for (const path of ['/v1/api-keys', '/v1/keys', '/v1/merchants']) {
      expectError(await merchant.client.post(path, {}), 404, 'NOT_FOUND');
    }
  });
});

describe('5 Authentication comes before anything else', () => {
  const bad = 'topup_0000000000000000000000000000000000000000000';

  it.each<[what: string, method: string, path: string, body: string, headers: Record<string, string>]>([
    ['a body that is not JSON', 'POST', '/v1/orders', '{"reference_id":', {}],
    ['a body with wrong members', 'POST', '/v1/orders', '{"a":1}', {}],
    ['a body of another content type', 'POST', '/v1/orders', 'a=1', { 'content-type': 'text/plain' }],
    ['a body over the size limit', 'POST', '/v1/orders', ' '.repeat(300 * 1024), {}],
    ['a body in an unknown encoding', 'POST', '/v1/orders', '{}', { 'content-encoding': 'zstd' }],
    ['a webhook’s URL that is refused', 'POST', '/v1/merchant-webhooks', '{"url":"x"}', {}],
    ['a webhook’s id that is no integer', 'PATCH', '/v1/merchant-webhooks/abc', '{}', {}],
    ['an unknown method', 'PUT', '/v1/orders', '{}', {}],
    ['an unknown route', 'POST', '/v1/nothing/here', '{}', {}],
  ])('401, whatever the request: %s', async (_what, method, path, body, headers) => {
    const json = { 'content-type': 'application/json', ...headers };
    for (const key of [{}, { 'x-api-key': bad }, keyHeader('revoked')]) {
      const answer = await withoutKey().send(method, path, body, { ...json, ...key });
      expectError(answer, 401, 'UNAUTHORIZED', 'Invalid or missing API key');
    }
  });

  it.each([
    '/v1/orders/unknown',
    '/v1/orders/',
    '/v1/merchant-webhooks/999999',
    '/v1/merchant-webhooks/abc',
    '/v1/orders?limit=0',
    '/v1/nothing',
    '/v1/',
    '/v1',
    '/v1/orders/%zz',
    '/v1/products/%ff',
    '/v1/orders/a/b/c',
  ])('401 for GET %s, found or not', async (path) => {
    const answer = await sendRaw(stack.url, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expectError(answer, 401, 'UNAUTHORIZED', 'Invalid or missing API key');
  });

  it('401 before the body has arrived', async () => {
    const answer = await sendRaw(
      stack.url,
      'POST /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"a"',
    );
    expectError(answer, 401, 'UNAUTHORIZED', 'Invalid or missing API key');
  });

  it.each(['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH'])('401 for %s /v1/orders', async (method) => {
    const answer = await sendRaw(stack.url, `${method} /v1/orders HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n`);
    expectError(answer, 401, 'UNAUTHORIZED', 'Invalid or missing API key');
  });

  it('a refused request leaves nothing behind', async () => {
    const request = { ...order, reference_id: unique('order'), items: [{ sku }] };
    for (const kind of kinds) await withoutKey().post('/v1/orders', request, keyHeader(kind));
    expectError(await merchant.client.get(`/v1/orders/${request.reference_id}`), 404, 'NOT_FOUND');
  });
});
