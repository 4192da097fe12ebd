import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { sendRaw } from '../support/raw-http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

const MAX_BODY_BYTES = 256 * 1024;

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('1.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const order = (members: object = {}): Record<string, unknown> => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  items: [{ sku }],
  ...members,
});

const post = (body: unknown, headers: Record<string, string> = {}): Promise<Answer<OrderBody>> =>
  merchant.client.post<OrderBody>('/v1/orders', body, headers);

/** The same order, padded with white space, which JSON ignores. */
const paddedTo = (bytes: number): string => JSON.stringify(order()).padEnd(bytes, ' ');

describe('1 Errors: the body', () => {
  it('names the first problem in its message, and has one detail for each problem', async () => {
    const answer = await post({
      user_id: '',
      items: [{ sku, quantity: 0 }, { quantity: 'x' }],
      server_ID: '1',
    });
    const { message, details = [] } = expectError(answer, 400, 'BAD_REQUEST');
    const fields = ['items[0].quantity', 'items[1].quantity', 'items[1].sku', 'reference_id', 'server_ID', 'user_id'];
    expect(details.map(({ field }) => field).sort()).toEqual(fields);
    expect(message).toBe(details[0]?.message);
    for (const detail of details) expect(detail.message).toContain(detail.field);
  });

  it('says `reference_id is required` when that is missing', async () => {
    expectError(await post(order({ reference_id: undefined })), 400, 'BAD_REQUEST', 'reference_id is required');
  });

  it('has no details if the problem is of no single member', async () => {
    const body = expectError(await merchant.client.get('/v1/orders/unknown'), 404, 'NOT_FOUND');
    expect(body).not.toHaveProperty('details');
  });

  it('details an insufficient balance as INSUFFICIENT_BALANCE', async () => {
    const { client } = await stack.merchant('0.50');
    const { details } = expectError(await client.post('/v1/orders', order()), 503, 'SERVICE_UNAVAILABLE');
    expect(details?.[0]?.code).toBe('INSUFFICIENT_BALANCE');
  });

  it('details an unknown SKU as INVALID_SKU', async () => {
    const answer = await post(order({ items: [{ sku }, { sku: 'unknown' }] }));
    const { details } = expectError(answer, 400, 'BAD_REQUEST');
    expect(details).toEqual([expect.objectContaining({ field: 'items[1].sku', code: 'INVALID_SKU' })]);
  });

  it('is 500 INTERNAL_ERROR for an unexpected error, and contains nothing of the database', async () => {
    await stack.sql('ALTER TABLE merchant_prices RENAME TO merchant_prices_away');
    try {
      const answer = await merchant.client.get('/v1/products');
      const { message } = expectError(answer, 500, 'INTERNAL_ERROR');
      expect(message).not.toMatch(/merchant_prices|exist/);
    } finally {
      await stack.sql('ALTER TABLE merchant_prices_away RENAME TO merchant_prices');
    }
    expect((await merchant.client.get('/v1/products')).status).toBe(200);
  });
});

describe('1 Errors: unknown routes are 404 NOT_FOUND', () => {
  it.each([
    ['GET', '/v1/nothing'],
    ['GET', '/v1'],
    ['GET', '/v1/orders/a/b'],
    ['PUT', '/v1/orders'],
    ['DELETE', '/v1/orders/x'],
    ['POST', '/v1/orders/x'],
    ['PATCH', '/v1/wallet'],
    ['GET', '/v2/orders'],
    ['GET', '/favicon.ico'],
    ['POST', '/healthz'],
  ])('%s %s', async (method, path) => {
    const body = ['GET', 'DELETE'].includes(method) ? undefined : {};
    expectError(await merchant.client.send(method, path, body), 404, 'NOT_FOUND');
  });
});

describe('1 Errors: malformed bodies are 400 BAD_REQUEST', () => {
  it.each([
    '{',
    '{"reference_id":"a"',
    "{'reference_id':'a'}",
    '{"reference_id":"a",}',
    '{"reference_id":undefined}',
    '{"quantity":NaN}',
    '{"quantity":01}',
    'reference_id=a',
    '<order/>',
    '{}{}',
    '"\\ud8"',
    '{"a":"line\nbreak"}',
    ' ',
  ])('%j is no JSON', async (text) => {
    expectError(await post(text), 400, 'BAD_REQUEST');
  });

  it.each([
    ['{', 1, 2],
    ['{"a":1,}', 1, 8],
    ['{"a": undefined}', 1, 7],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{"a":1,"a":2,}', 1, 14],
    ['{}\n{}', 2, 1],
  ])('%j is no JSON, and the answer says where', async (text, line, column) => {
    const message = `The request body is not valid JSON: look at line ${line}, column ${column}`;
    expectError(await post(text), 400, 'BAD_REQUEST', message);
  });

  it.each(['[]', '[{}]', '"order"', '1', 'true', 'null'])('%s is no object', async (text) => {
    expectError(await post(text), 400, 'BAD_REQUEST', 'The request body must be a JSON object');
  });

  it('an absent body is an empty one', async () => {
    expectError(await post(undefined), 400, 'BAD_REQUEST', 'reference_id is required');
    expectError(await post(''), 400, 'BAD_REQUEST', 'reference_id is required');
  });

  it.each([
    ['a stray continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['half a character', [0xe0, 0xb8]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('invalid UTF-8 is refused, not repaired: %s', async (_what, bytes) => {
    const [before = '', after = ''] = JSON.stringify(order({ user_id: 'X' })).split('X');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expectError(await post(body), 400, 'BAD_REQUEST', /UTF-8/);
  });

  it.each([
    ['objects', '{"a":', '}'],
    ['arrays', '[', ']'],
  ])('%s nested very deeply are refused, and the service goes on', async (_what, open, close) => {
    for (const levels of [17, 1_000, 40_000]) {
      const nested = `{"items":${open.repeat(levels)}1${close.repeat(levels)}}`;
      expectError(await post(nested), 400, 'BAD_REQUEST');
    }
    expect((await post(order())).status).toBe(200);
  });

  it('brackets in text do not count as nesting, and sixteen levels are allowed', async () => {
    const quoted = `${'[{'.repeat(25)}\\"${'[{'.repeat(25)}`;
    expect((await post(order({ user_id: quoted }))).status).toBe(200);
    const sixteen = `{"items":${'['.repeat(15)}${']'.repeat(15)}}`;
    expectError(await post(sixteen), 400, 'BAD_REQUEST', /^(?!.*nests)/);
    expectError(await post(`{"items":[${sixteen}]}`), 400, 'BAD_REQUEST', /nests deeper than 16 levels/);
  });

  it('a hundred thousand elements are refused with a short answer', async () => {
    const answer = await post(`{"items":[${'0,'.repeat(100_000)}0]}`);
    expectError(answer, 400, 'BAD_REQUEST');
    expect(JSON.stringify(answer.body).length).toBeLessThan(2_000);
  });

  it('thousands of unknown members are refused', async () => {
    const members = Array.from({ length: 5_000 }, (_, index) => `"m${index}":1`).join(',');
    for (const path of ['/v1/orders', '/v1/merchant-webhooks/7/test']) {
      const answer = await merchant.client.post(path, `{${members}}`);
      expect([path, expectError(answer, 400, 'BAD_REQUEST').details?.length]).toEqual([path, 100]);
    }
  });
});

describe('1 Errors: 413 PAYLOAD_TOO_LARGE', () => {
  it('a body of exactly 256 KiB is accepted', async () => {
    expect((await post(paddedTo(MAX_BODY_BYTES))).status).toBe(200);
  });

  it('one byte more is refused', async () => {
    expectError(await post(paddedTo(MAX_BODY_BYTES + 1)), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('one byte more is refused when the request does not state its length', async () => {
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${merchant.key}\r\nContent-Type: application/json\r\n`;
    const send = (body: string): Promise<Answer<unknown>> =>
      sendRaw(stack.url, `${head}Transfer-Encoding: chunked\r\n\r\n`, chunk(body), '0\r\n\r\n');
    expectError(await send(paddedTo(MAX_BODY_BYTES + 1)), 413, 'PAYLOAD_TOO_LARGE');
    expect((await send(paddedTo(MAX_BODY_BYTES))).status).toBe(200);
  });

  it('a compressed body counts with its uncompressed size', async () => {
    const gzip = { 'content-encoding': 'gzip' };
    expect((await post(gzipSync(paddedTo(MAX_BODY_BYTES)), gzip)).status).toBe(200);
    expectError(await post(gzipSync(paddedTo(MAX_BODY_BYTES + 1)), gzip), 413, 'PAYLOAD_TOO_LARGE');
    expectError(await post(gzipSync(' '.repeat(50_000_000)), gzip), 413, 'PAYLOAD_TOO_LARGE');
  });

  it('a body that is not compressed although its header says so is a 400', async () => {
    expectError(await post(order(), { 'content-encoding': 'gzip' }), 400, 'BAD_REQUEST');
    expectError(await post(gzipSync('{').subarray(0, 12), { 'content-encoding': 'gzip' }), 400, 'BAD_REQUEST');
  });
});

describe('1 Errors: 415 UNSUPPORTED_MEDIA_TYPE', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/octet-stream',
    'text/json',
    'application/jsonx',
    'application/json, text/plain',
    'json',
  ])('%s', async (type) => {
    expectError(await post(JSON.stringify(order()), { 'content-type': type }), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('a body without a content type', async () => {
    const body = JSON.stringify(order());
    const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${merchant.key}\r\nContent-Length: ${body.length}`;
    expectError(await sendRaw(stack.url, `${head}\r\n\r\n${body}`), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it('of two content types the first counts', async () => {
    const types = { json: 'Content-Type: application/json', text: 'Content-Type: text/plain' };
    const send = (first: string, second: string): Promise<Answer<unknown>> => {
      const body = JSON.stringify(order());
      const head = `POST /v1/orders HTTP/1.1\r\nHost: x\r\nX-API-Key: ${merchant.key}\r\nContent-Length: ${body.length}`;
      return sendRaw(stack.url, `${head}\r\n${first}\r\n${second}\r\n\r\n${body}`);
    };
    expect((await send(types.json, types.text)).status).toBe(200);
    expectError(await send(types.text, types.json), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  it.each(['zip', 'gzip, gzip'])('a body with the encoding %s', async (encoding) => {
    expectError(await post(order(), { 'content-encoding': encoding }), 415, 'UNSUPPORTED_MEDIA_TYPE', /gzip/);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON;charset=UTF-8',
    'application/json; charset=utf8',
    'application/json; charset="utf8"; v=1',
    'application/merge-patch+json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset',
  ])('but %s is JSON, which is UTF-8 and has no charset', async (type) => {
    const user_id = 'ผู้เล่น';
    const answer = await post(JSON.stringify(order({ user_id })), { 'content-type': type });
    expect([answer.status, answer.body]).toMatchObject([200, { user_id }]);
    const latin1 = Buffer.from(JSON.stringify(order({ user_id: 'é' })), 'latin1');
    expectError(await post(latin1, { 'content-type': type }), 400, 'BAD_REQUEST', /UTF-8/);
  });
});

describe('1 Errors: X-Request-Id', () => {
  const requestId = async (given?: string): Promise<string> => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
    return (await merchant.client.get('/v1/wallet', headers)).headers.get('x-request-id') ?? '';
  };

  it.each(['abc-123', 'a', 'x'.repeat(128), '018f3a7e-7d0c-7c3e-8b1a-000000000000', 'trace:1/2.3_4'])(
    'the caller’s own, if it is sane: %s',
    async (id) => {
      expect(await requestId(id)).toBe(id);
    },
  );

  it.each(['', 'x'.repeat(129), 'two words', '<script>', 'a"b', 'a;b', 'é'])(
    'one of the service’s, if it is not: %s',
    async (id) => {
      const answered = await requestId(id);
      expect(answered).not.toBe(id);
      expect(answered).toMatch(/^[A-Za-z0-9_-]{8,}$/);
    },
  );

  it('is generated, different each time, for a request without one', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => requestId()));
    expect(new Set(ids).size).toBe(20);
  });

  it('on every answer, whatever its status', async () => {
    const headers = { 'x-request-id': 'mine-1' };
    const answers = [
      await post(order(), headers),
      await post('{', headers),
      await post(paddedTo(MAX_BODY_BYTES + 1), headers),
      await post('a', { ...headers, 'content-type': 'text/plain' }),
      await new Client(stack.url, null).get('/v1/wallet', headers),
      await merchant.client.get('/v1/nothing', headers),
      await merchant.client.get('/nothing', headers),
      await merchant.client.get('/healthz', headers),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 413, 415, 401, 404, 404, 200]);
    expect(answers.map((answer) => answer.headers.get('x-request-id'))).toEqual(answers.map(() => 'mine-1'));
  });
});
