import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import type { Head } from '../support/raw-http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { firstAnswer, onOneConnection, uploadEndlessly, uploadGibibyte, type Upload } from '../support/uploads.js';

/** Many times the bytes that the service drops after an answer, and that the buffers of both kernels hold. */
const MUCH_BYTES = 64 * 1024 * 1024;

let stack: TestStack;
let limited: TestStack;
let merchant: TestMerchant;
let suspended: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  limited = await TestStack.start({ RATE_LIMIT_PER_SECOND: '1' }, { worker: false });
  merchant = await stack.merchant();
  suspended = await stack.merchant();
  await stack.sql(`UPDATE merchants SET status = 'suspended' WHERE id = $1`, [suspended.id]);
  sku = await stack.product('1.00');
});

afterAll(async () => {
  await limited.close();
  await closeWithBalancedBooks(stack);
});

const JSON_TYPE = 'Content-Type: application/json';
const key = (who: TestMerchant = merchant): string => `X-API-Key: ${who.key}`;

function expectEnded({ answer, sentBytes }: Upload, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get('connection')).toBe('close');
  expect(sentBytes).toBeLessThan(MUCH_BYTES);
}

describe('a body that never ends is answered, and its connection ended, after', () => {
  const orders = 'POST /v1/orders HTTP/1.1';

  it('401 for a missing key', async () => {
    expectEnded(await uploadEndlessly(stack.url, orders, 'Host: x', JSON_TYPE), 401);
    expectEnded(await uploadGibibyte(stack.url, orders, 'Host: x', JSON_TYPE), 401);
  });

  it('403 for a suspended merchant', async () => {
    expectEnded(await uploadEndlessly(stack.url, orders, 'Host: x', key(suspended), JSON_TYPE), 403);
  });

  it('413 for too large a body', async () => {
    expectEnded(await uploadEndlessly(stack.url, orders, 'Host: x', key(), JSON_TYPE), 413);
    expectEnded(await uploadGibibyte(stack.url, orders, 'Host: x', key(), JSON_TYPE), 413);
  });

  it('413 for too large a body to an unknown route', async () => {
    expectEnded(await uploadEndlessly(stack.url, 'POST /v1/nothing HTTP/1.1', 'Host: x', key(), JSON_TYPE), 413);
  });

  it('415 for a body that is not JSON, and for one in an unknown encoding', async () => {
    expectEnded(await uploadEndlessly(stack.url, orders, 'Host: x', key(), 'Content-Type: text/plain'), 415);
    const encoding = 'Content-Encoding: compress';
    expectEnded(await uploadGibibyte(stack.url, orders, 'Host: x', key(), JSON_TYPE, encoding), 413);
    expectEnded(await uploadEndlessly(stack.url, orders, 'Host: x', key(), JSON_TYPE, encoding), 415);
  });

  it('400 or 413 for a body that is not compressed although its header says so', async () => {
    const upload = await uploadEndlessly(stack.url, orders, 'Host: x', key(), JSON_TYPE, 'Content-Encoding: gzip');
    expect([400, 413]).toContain(upload.answer.status);
    expectEnded(upload, upload.answer.status);
  });

  it('429 for one request too many', async () => {
    const { key: limitedKey, client } = await limited.merchant();
    let upload: Upload;
    do {
      // It counts, and needs no time of PostgreSQL.
      await client.get('/v1/nothing');
      upload = await uploadEndlessly(limited.url, orders, 'Host: x', `X-API-Key: ${limitedKey}`, JSON_TYPE);
    } while (upload.answer.status !== 429);
    expectEnded(upload, 429);
  });

  it('404 outside of /v1', async () => {
    for (const path of ['/nothing', '/healthz', '/docs', '/docs-json', '/docs/swagger-ui.css'])
      expectEnded(await uploadEndlessly(stack.url, `POST ${path} HTTP/1.1`, 'Host: x'), 404);
  });

  it.each([
    ['GET /v1/wallet', 200],
    ['GET /v1/orders/unknown', 404],
    ['DELETE /v1/merchant-webhooks/7', 404],
    ['GET /healthz', 200],
    ['GET /readyz', 200],
    ['GET /docs', 200],
    ['GET /docs-json', 200],
    ['GET /docs/swagger-ui-bundle.js', 200],
    ['GET /nothing', 404],
  ])('%s, a route without a body: %i', async (route, status) => {
    const head = [`${route} HTTP/1.1`, 'Host: x', key()];
    const { answer, sentBytes } = await uploadEndlessly(stack.url, ...head);
    expectEnded({ answer, sentBytes }, status);
    expectEnded(await uploadGibibyte(stack.url, ...head), status);
  });

  it('400 for bytes that are not HTTP, however many come', async () => {
    const { answer, sentBytes } = await uploadEndlessly(stack.url, 'HELLO');
    expectEnded({ answer, sentBytes }, 400);
    expectEnded(await uploadEndlessly(stack.url, 'CONNECT example.com:443 HTTP/1.1', 'Host: x'), 400);
  });
});

describe('a connection is kept when a small body is refused', () => {
  const chunked = (head: string[], body: string): string =>
    `${[...head, 'Transfer-Encoding: chunked'].join('\r\n')}\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const measured = (head: string[], body: string): string =>
    `${[...head, `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n${body}`;
  const next = (): string => `GET /v1/wallet HTTP/1.1\r\nHost: x\r\n${key()}\r\n\r\n`;

  it.each([
    ['POST /v1/orders', false, 401],
    ['POST /v1/orders', true, 415],
    ['POST /v1/nothing', true, 415],
    ['POST /', false, 404],
    ['POST /nothing', false, 404],
    ['POST /docs', false, 404],
    ['POST /healthz', false, 404],
    ['GET /healthz', false, 200],
    ['GET /docs-json', false, 200],
    ['GET /v1/wallet', true, 200],
    ['DELETE /v1/merchant-webhooks/7', true, 404],
  ])('%s with a key: %s is %i', async (route, hasKey, status) => {
    const head = [`${route} HTTP/1.1`, 'Host: x', ...(hasKey ? [key()] : [])];
    const body = JSON.stringify({ a: 'x'.repeat(200) });
    const whole = measured(head, body);
    for (const parts of [[whole], [chunked(head, body)], [whole.slice(0, -100), whole.slice(-100)]]) {
      const [refused, answered] = await onOneConnection(stack.url, parts, [next()]);
      expect([refused?.status, refused?.headers.get('connection'), answered?.status]).toEqual([
        status,
        'keep-alive',
        200,
      ]);
    }
  });

  it('and also if it is read before it is refused', async () => {
    const head = ['POST /v1/orders HTTP/1.1', 'Host: x', key(), JSON_TYPE];
    const answers = await onOneConnection(stack.url, [measured(head, '{')], [chunked(head, '{}')], [next()]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
  });
});

describe('bytes after a body that was refused unread', () => {
  it('are never taken for a request', async () => {
    const order = { reference_id: unique('behind'), user_id: 'player-1', items: [{ sku }] };
    const body = JSON.stringify(order);
    const smuggled = [
      'POST /v1/orders HTTP/1.1',
      'Host: x',
      key(),
      JSON_TYPE,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
    const large = 'x'.repeat(300 * 1024);
    const head = ['POST /v1/orders HTTP/1.1', 'Host: x', JSON_TYPE, `Content-Length: ${large.length}`];
    const answers = await onOneConnection(
      stack.url,
      [`${head.join('\r\n')}\r\n\r\n`, large + smuggled],
      [`GET /v1/wallet HTTP/1.1\r\nHost: x\r\n${key()}\r\n\r\n`],
    );
    expect(answers.map(({ status }) => status)).toEqual([401]);
    expectError(await merchant.client.get(`/v1/orders/${order.reference_id}`), 404, 'NOT_FOUND');
  });
});

describe('a client that waits for 100 Continue before its body', () => {
  const ask = (length: number, ...headers: string[]): Promise<Head> =>
    firstAnswer(
      stack.url,
      'POST /v1/orders HTTP/1.1',
      'Host: x',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      ...headers,
    );

  it('gets it if the service will read the body', async () => {
    expect((await ask(2, key(), JSON_TYPE)).status).toBe(100);
  });

  it.each([
    ['the key is bad', 2, JSON_TYPE, 401],
    ['it is not JSON', 2, 'Content-Type: text/plain', 415],
    ['it is too large', 1_000_000, JSON_TYPE, 413],
  ])('is refused without it if %s', async (_why, length, type, status) => {
    const answer = await ask(length, type, ...(status === 401 ? [] : [key()]));
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
  });
});
