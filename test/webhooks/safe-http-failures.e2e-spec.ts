import { afterEach, describe, expect, it } from '@jest/globals';
import type { Resolve } from '../../src/core/safe-http/resolve.js';
import type { SafeHttpOptions } from '../../src/core/safe-http/safe-http-client.js';
import { keptPort } from '../support/kept-port.js';
import { AUTHORITY } from './certificates.js';
import { Net, resolvesTo, TIMEOUT_MS } from './net.js';

const net = new Net();
/** The deadline of calls that end only by it. */
const LATE = { timeoutMs: TIMEOUT_MS };

afterEach(() => net.end());

describe('failures', () => {
  const failureOf = async (url: string, options: Partial<SafeHttpOptions> = {}): Promise<string | null> => {
    const { status, failure } = await net.send(url, options);
    expect(status).toBeNull();
    return failure;
  };

  it('refused_address: a literal address that is not permitted, in any notation', async () => {
    for (const host of ['10.0.0.1', '167772161', '0xa.1', '[::2]', '[::ffff:127.0.0.1]', '0', '169.254.169.254']) {
      expect([host, await failureOf(`http://${host}/`)]).toEqual([host, 'refused_address']);
    }
  });

  it('refused_address: a local name, with any address', async () => {
    const resolve = resolvesTo('127.0.0.1');
    expect(await failureOf('http://localhost/', { resolve })).toBe('refused_address');
    expect(await failureOf('http://a.internal./', { resolve })).toBe('refused_address');
  });

  it('refused_address: a name with one forbidden address among its addresses', async () => {
    let requests = 0;
    const port = await net.http((_request, response) => {
      requests++;
      response.end();
    });
    const resolve = resolvesTo('127.0.0.1', '10.0.0.1');
    expect(await failureOf(`http://hooks.test:${port}/`, { resolve })).toBe('refused_address');
    expect(requests).toBe(0);
  });

  it('dns: a name that has no address, or whose name server fails', async () => {
    expect(await failureOf('http://nobody.invalid/')).toBe('dns');
    expect(await failureOf('http://hooks.test/', { resolve: resolvesTo() })).toBe('dns');
    const resolve = (): Promise<never> => Promise.reject(new Error('SERVFAIL'));
    expect(await failureOf('http://hooks.test/', { resolve })).toBe('dns');
  });

  it('timeout: a name server that never answers', async () => {
    const resolve: Resolve = (_hostname, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    expect(await failureOf('http://hooks.test/', { resolve, ...LATE })).toBe('timeout');
  });

  it('connect: nothing listens', async () => {
    const port = await keptPort();
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('connect');
    const resolve = resolvesTo('127.0.0.1', '127.0.0.2');
    expect(await failureOf(`http://hooks.test:${port}/`, { resolve })).toBe('connect');
  });

  it('timeout: no answer, and half a header', async () => {
    const silent = await net.raw(() => {});
    expect(await failureOf(`http://127.0.0.1:${silent}/`, LATE)).toBe('timeout');
    const half = await net.raw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-'));
    expect(await failureOf(`http://127.0.0.1:${half}/`, LATE)).toBe('timeout');
  });

  it('timeout: a TLS handshake that never ends', async () => {
    const port = await net.raw(() => {});
    expect(await failureOf(`https://127.0.0.1:${port}/`, LATE)).toBe('timeout');
  });

  it('reset: the connection ends before a status line', async () => {
    const closed = await net.raw((socket) => socket.end());
    expect(await failureOf(`http://127.0.0.1:${closed}/`)).toBe('reset');
    const reset = await net.raw((socket) => socket.resetAndDestroy());
    expect(await failureOf(`http://127.0.0.1:${reset}/`)).toBe('reset');
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a broken status line', 'HTTP/1.1 2x0 OK\r\n\r\n'],
    ['a header that never ends', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`],
    ['a change of protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
  ])('protocol: %s', async (_what, answer) => {
    const port = await net.raw((socket) => socket.write(answer));
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('protocol');
  });

  it('protocol: a URL that cannot be requested', async () => {
    expect(await failureOf('no url')).toBe('protocol');
  });

  it('tls: plain HTTP behind https, a certificate of an unknown authority, one for another name', async () => {
    const plain = await net.http((_request, response) => response.end());
    expect(await failureOf(`https://127.0.0.1:${plain}/`)).toBe('tls');
    const port = await net.https((_request, response) => response.end());
    expect(await failureOf(`https://127.0.0.1:${port}/`)).toBe('tls');
    const resolve = resolvesTo('127.0.0.1');
    expect(await failureOf(`https://other.test:${port}/`, { ca: AUTHORITY, resolve })).toBe('tls');
  });
});
