import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseNetwork, type Network } from '../../src/core/config.js';
import { AddressPolicy } from '../../src/core/safe-http/address-policy.js';
import type { Resolve } from '../../src/core/safe-http/resolve.js';
import {
  SafeHttpClient,
  type HttpResult,
  type SafeHttpOptions,
} from '../../src/core/safe-http/safe-http-client.js';
import { AUTHORITY, CERTIFICATE, KEY } from './certificates.js';

const LOOPBACK = new AddressPolicy(
  [parseNetwork('127.0.0.0/8')].filter((each): each is Network => each !== undefined),
);
const TIMEOUT_MS = 600;

const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function listening(server: TcpServer, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {});
    sockets.add(socket.once('close', () => sockets.delete(socket)));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const http = (listener: RequestListener): Promise<number> => listening(createHttpServer(listener));
const tls = (listener: RequestListener): Promise<number> =>
  listening(createHttpsServer({ key: KEY, cert: CERTIFICATE }, listener) as unknown as Server);
/** A server that writes what it likes. */
const raw = (answer: (socket: Socket) => void): Promise<number> =>
  listening(createTcpServer((socket) => void socket.once('data', () => answer(socket))));

function client(options: Partial<SafeHttpOptions> = {}): SafeHttpClient {
  const made = new SafeHttpClient({
    policy: LOOPBACK,
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: 16_384,
    ...options,
  });
  cleanups.push(() => made.close());
  return made;
}

const send = (url: string, options: Partial<SafeHttpOptions> = {}): Promise<HttpResult> =>
  client(options).send({ method: 'POST', url, headers: { 'x-test': 'yes' }, body: Buffer.from('{"a":1}') });

const resolvesTo =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses);

describe('a call', () => {
  it('sends the given headers and the transport’s own, nothing else, and gives back what came', async () => {
    let seen: { request: IncomingMessage; body: string } | undefined;
    const port = await http((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => (seen = { request, body }));
      response.writeHead(418, { 'retry-after': '7' }).end('short and stout');
    });
    const result = await send(`http://127.0.0.1:${port}/hook?a=%20b`);
    expect(result).toMatchObject({ status: 418, failure: null, complete: true });
    expect(result.headers['retry-after']).toBe('7');
    expect(result.body.toString()).toBe('short and stout');
    expect(seen?.request.method).toBe('POST');
    expect(seen?.request.url).toBe('/hook?a=%20b');
    expect(seen?.body).toBe('{"a":1}');
    expect(seen?.request.headers).toEqual({
      host: `127.0.0.1:${port}`,
      connection: 'keep-alive',
      'content-length': '7',
      'x-test': 'yes',
    });
  });

  it('does not follow redirects', async () => {
    let requests = 0;
    const port = await http((_request, response) => {
      requests++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 307, failure: null });
    expect(requests).toBe(1);
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await http((_request, response) => response.writeHead(500).end());
    const port = await http((_request, response) => response.writeHead(204).end());
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = process.env.http_proxy = `http://127.0.0.1:${proxy}`;
    try {
      expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(204);
    } finally {
      delete process.env.http_proxy;
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
  });

  it('does not wait for an informational answer to be the last', async () => {
    const port = await raw((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.end('HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok');
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 201, complete: true });
  });

  it('keeps a connection for the next call, and only while it is in use', async () => {
    const ports = new Set<number | undefined>();
    const port = await http((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const once = client();
    const url = `http://127.0.0.1:${port}/`;
    for (let call = 0; call < 5; call++) {
      await once.send({ method: 'GET', url, headers: {} });
      // A connection is free again a turn of the event loop after its answer.
      await delay(5);
    }
    expect(ports.size).toBe(1);
    await Promise.all([1, 2, 3].map(() => once.send({ method: 'GET', url, headers: {} })));
    expect(ports.size).toBeGreaterThan(1);
  });

  it('gives each of many calls at once a connection of its own', async () => {
    let open = 0;
    let most = 0;
    const port = await http((_request, response) => {
      most = Math.max(most, ++open);
      setTimeout(() => {
        open--;
        response.end();
      }, 100);
    });
    const once = client();
    const calls = Array.from({ length: 30 }, () =>
      once.send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }),
    );
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
    expect(most).toBe(30);
  });
});

describe('the body', () => {
  it('is read up to the limit and then given up, however long it goes on', async () => {
    let closed: () => void = () => {};
    const gaveUp = new Promise<void>((resolve) => (closed = resolve));
    const port = await http((_request, response) => {
      response.on('close', closed);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const result = await send(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ status: 200, failure: null, complete: false });
    expect(result.body).toHaveLength(16_384);
    await gaveUp;
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const port = await http((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const result = await send(`http://127.0.0.1:${port}/`);
    expect(result.body).toEqual(bomb.subarray(0, 16_384));
  });

  it.each([
    ['cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'],
    ['badly chunked', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n'],
  ])('may be %s: the status counts', async (_how, answer) => {
    const port = await raw((socket) => socket.end(answer));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: 200,
      failure: null,
      complete: false,
    });
  });

  it('may come drop by drop: the deadline ends it, the status counts', async () => {
    const port = await http((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    const result = await send(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ status: 200, failure: null, complete: false });
    expect(result.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(result.durationMs).toBeLessThan(TIMEOUT_MS * 3);
  });
});

describe('failures', () => {
  const failureOf = async (url: string, options: Partial<SafeHttpOptions> = {}): Promise<string | null> => {
    const { status, failure, durationMs } = await send(url, options);
    expect(status).toBeNull();
    expect(durationMs).toBeLessThan(TIMEOUT_MS * 3);
    return failure;
  };

  it('refused_address: a literal that is not permitted, in any spelling', async () => {
    for (const host of [
      '10.0.0.1',
      '167772161',
      '0xa.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0',
      '169.254.169.254',
    ]) {
      expect([host, await failureOf(`http://${host}/`)]).toEqual([host, 'refused_address']);
    }
  });

  it('refused_address: a local name, whatever it resolves to', async () => {
    const resolve = resolvesTo('127.0.0.1');
    expect(await failureOf('http://localhost/', { resolve })).toBe('refused_address');
    expect(await failureOf('http://a.internal./', { resolve })).toBe('refused_address');
  });

  it('refused_address: a name with one forbidden address among its addresses', async () => {
    let requests = 0;
    const port = await http((_request, response) => {
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
    expect(await failureOf('http://hooks.test/', { resolve })).toBe('timeout');
  });

  it('connect: nobody listens', async () => {
    const port = await raw(() => {});
    await cleanups.pop()?.();
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('connect');
    const resolve = resolvesTo('127.0.0.1', '127.0.0.2');
    expect(await failureOf(`http://hooks.test:${port}/`, { resolve })).toBe('connect');
  });

  it('timeout: no answer, and half a header', async () => {
    const silent = await raw(() => {});
    expect(await failureOf(`http://127.0.0.1:${silent}/`)).toBe('timeout');
    const half = await raw((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-'));
    expect(await failureOf(`http://127.0.0.1:${half}/`)).toBe('timeout');
  });

  it('timeout: a TLS handshake that never ends', async () => {
    const port = await raw(() => {});
    expect(await failureOf(`https://127.0.0.1:${port}/`)).toBe('timeout');
  });

  it('reset: the connection ends before a status line', async () => {
    const closed = await raw((socket) => socket.end());
    expect(await failureOf(`http://127.0.0.1:${closed}/`)).toBe('reset');
    const reset = await raw((socket) => socket.resetAndDestroy());
    expect(await failureOf(`http://127.0.0.1:${reset}/`)).toBe('reset');
  });

  it.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a broken status line', 'HTTP/1.1 2x0 OK\r\n\r\n'],
    ['a header that never ends', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`],
    [
      'a change of protocol',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    ],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'],
  ])('protocol: %s', async (_what, answer) => {
    const port = await raw((socket) => socket.write(answer));
    expect(await failureOf(`http://127.0.0.1:${port}/`)).toBe('protocol');
  });

  it('protocol: a URL that cannot be asked for', async () => {
    expect(await failureOf('no url')).toBe('protocol');
  });

  it('tls: plain HTTP behind https, a certificate of an unknown authority, one for another name', async () => {
    const plain = await http((_request, response) => response.end());
    expect(await failureOf(`https://127.0.0.1:${plain}/`)).toBe('tls');
    const port = await tls((_request, response) => response.end());
    expect(await failureOf(`https://127.0.0.1:${port}/`)).toBe('tls');
    const resolve = resolvesTo('127.0.0.1');
    expect(await failureOf(`https://other.test:${port}/`, { ca: AUTHORITY, resolve })).toBe('tls');
  });
});

describe('TLS', () => {
  it('verifies the name, and the address where there is none', async () => {
    const port = await tls((_request, response) => response.writeHead(204).end());
    const options = { ca: AUTHORITY, resolve: resolvesTo('127.0.0.1') };
    for (const host of ['hooks.test', 'hooks.test.', '127.0.0.1']) {
      expect([host, (await send(`https://${host}:${port}/`, options)).status]).toEqual([host, 204]);
    }
  });
});

describe('a name server that changes its answer', () => {
  it('is asked once for each connection, and that answer is the one connected to', async () => {
    let requests = 0;
    const port = await http((_request, response) => {
      requests++;
      response.writeHead(204, { connection: 'close' }).end();
    });
    let questions = 0;
    // Permitted when asked first, forbidden from then on.
    const resolve: Resolve = () => Promise.resolve(questions++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    const once = client({ resolve });
    const call = { method: 'GET', url: `http://rebound.test:${port}/`, headers: {} } as const;
    expect((await once.send(call)).status).toBe(204);
    expect(questions).toBe(1);
    expect((await once.send(call)).failure).toBe('refused_address');
    expect(questions).toBe(2);
    expect(requests).toBe(1);
  });

  it('can name several permitted addresses: the one that answers is taken', async () => {
    const port = await http((_request, response) => response.writeHead(204).end());
    const resolve = resolvesTo('127.0.0.9', '127.0.0.1');
    expect((await send(`http://hooks.test:${port}/`, { resolve })).status).toBe(204);
  });
});
