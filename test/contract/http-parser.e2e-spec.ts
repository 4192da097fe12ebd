import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { sendRaw } from '../support/raw-http.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant();
});

afterAll(() => closeWithBalancedBooks(stack));

/** A request line and headers, with the line ends of HTTP. */
const head = (...lines: string[]): string => `${lines.join('\r\n')}\r\n\r\n`;

const key = (): string => `X-API-Key: ${merchant.key}`;

describe('1 Errors: refusals of the HTTP parser have the usual body', () => {
  it.each([
    ['a request line that is none', 'HELLO\r\n\r\n'],
    ['an unknown protocol', 'GET /v1/wallet SPDY/3\r\n\r\n'],
    ['an unknown method', head('BREW /v1/orders HTTP/1.1', 'Host: x')],
    ['binary noise', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a colon', head('GET /v1/wallet HTTP/1.1', 'Host: x', 'nonsense')],
    ['a header with a space in its name', head('GET /v1/wallet HTTP/1.1', 'Host: x', 'a b: c')],
    ['a control character in a header', head('GET /v1/wallet HTTP/1.1', 'Host: x', 'a: b\x00c')],
    ['a length that is no number', head('POST /v1/orders HTTP/1.1', 'Host: x', 'Content-Length: abc')],
    ['a negative length', head('POST /v1/orders HTTP/1.1', 'Host: x', 'Content-Length: -1')],
    ['two lengths', head('POST /v1/orders HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3')],
    [
      'a length beside a transfer encoding',
      head('POST /v1/orders HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    ],
    ['a line end in the path', 'GET /v1/wal\nlet HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('400 for %s', async (_what, text) => {
    expectError(await sendRaw(stack.url, text), 400, 'BAD_REQUEST');
  });

  it('400 for a chunk whose size is no number', async () => {
    const request = head(
      'POST /v1/orders HTTP/1.1',
      'Host: x',
      key(),
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    expectError(await sendRaw(stack.url, request, 'xyz\r\n{}\r\n0\r\n\r\n'), 400, 'BAD_REQUEST');
  });

  it.each([20, 100])('400 for headers of %i KiB', async (kib) => {
    const request = head('GET /v1/wallet HTTP/1.1', 'Host: x', key(), `X-Long: ${'x'.repeat(kib * 1024)}`);
    expectError(await sendRaw(stack.url, request), 400, 'BAD_REQUEST', /header/i);
  });

  it('400 for a path that is longer than headers may be', async () => {
    const request = head(`GET /v1/orders/${'x'.repeat(20 * 1024)} HTTP/1.1`, 'Host: x', key());
    expectError(await sendRaw(stack.url, request), 400, 'BAD_REQUEST');
  });

  it('400 for CONNECT, with a key or without', async () => {
    expectError(await sendRaw(stack.url, head('CONNECT example.com:443 HTTP/1.1', 'Host: x')), 400, 'BAD_REQUEST');
    expectError(await sendRaw(stack.url, head('CONNECT / HTTP/1.1', 'Host: x', key())), 400, 'BAD_REQUEST');
  });

  it('the connection ends with the refusal', async () => {
    const { headers } = await sendRaw(stack.url, 'HELLO\r\n\r\n');
    expect(headers.get('connection')).toBe('close');
  });
});

describe('1 Errors: unusual requests that the HTTP parser accepts get the usual answers', () => {
  it('a request without Host', async () => {
    expectError(await sendRaw(stack.url, head('GET /v1/wallet HTTP/1.1')), 401, 'UNAUTHORIZED');
    expect((await sendRaw(stack.url, head('GET /v1/wallet HTTP/1.1', key()))).status).toBe(200);
  });

  it('an expectation, known or not', async () => {
    const request = (expectation: string): string =>
      head('GET /v1/wallet HTTP/1.1', 'Host: x', key(), `Expect: ${expectation}`);
    expect((await sendRaw(stack.url, request('something-else'))).status).toBe(200);
  });

  it('an upgrade that is not offered', async () => {
    const request = head('GET /v1/nothing HTTP/1.1', 'Host: x', key(), 'Connection: Upgrade', 'Upgrade: websocket');
    expectError(await sendRaw(stack.url, request), 404, 'NOT_FOUND');
  });

  it('HTTP/1.0', async () => {
    expect((await sendRaw(stack.url, head('GET /v1/wallet HTTP/1.0', key()))).status).toBe(200);
  });

  it('a path with a broken percent-encoding: an error with the usual body', async () => {
    for (const path of ['/v1/orders/%zz', '/v1/orders/%', '/v1/orders/%e0%a4', '/v1/products/%ff']) {
      const answer = await sendRaw(stack.url, head(`GET ${path} HTTP/1.1`, 'Host: x', key()));
      expect([400, 404]).toContain(answer.status);
      expectError(answer, answer.status, answer.status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND');
    }
  });

  it('a reference that no order can have: an unknown order', async () => {
    for (const path of ['/v1/orders/%00', '/v1/orders/%ED%9F%BF', `/v1/orders/${'x'.repeat(5_000)}`]) {
      const answer = await sendRaw(stack.url, head(`GET ${path} HTTP/1.1`, 'Host: x', key()));
      expectError(answer, 404, 'NOT_FOUND');
    }
  });
});
