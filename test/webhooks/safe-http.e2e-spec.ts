import type { IncomingMessage } from 'node:http';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Resolve } from '../../src/core/safe-http/resolve.js';
import { AUTHORITY } from './certificates.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { Net, resolvesTo } from './net.js';

const net = new Net();

afterEach(() => net.end());

describe('a call', () => {
  it('sends only the given headers and those of HTTP, and returns the answer', async () => {
    let seen: { request: IncomingMessage; body: string } | undefined;
    const port = await net.http((request, response) => {
      request.setEncoding('utf8').on('data', (body: string) => (seen = { request, body }));
      response.writeHead(418, { 'retry-after': '7' }).end('short and stout');
    });
    const result = await net.send(`http://127.0.0.1:${port}/hook?a=%20b`);
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
    const port = await net.http((_request, response) => {
      requests++;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(await net.send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 307, failure: null });
    expect(requests).toBe(1);
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await net.http((_request, response) => response.writeHead(500).end());
    const port = await net.http((_request, response) => response.writeHead(204).end());
    const before = process.env.HTTP_PROXY;
    process.env.HTTP_PROXY = process.env.http_proxy = `http://127.0.0.1:${proxy}`;
    try {
      expect((await net.send(`http://127.0.0.1:${port}/`)).status).toBe(204);
    } finally {
      delete process.env.http_proxy;
      if (before === undefined) delete process.env.HTTP_PROXY;
      else process.env.HTTP_PROXY = before;
    }
  });

  it('does not take an informational answer for the final one', async () => {
    const port = await net.raw((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.end('HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok');
    });
    expect(await net.send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 201, complete: true });
  });

  it('keeps a connection for the next call, and closes it when it is unused for a while', async () => {
    const ports = new Set<number | undefined>();
    const port = await net.http((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    const url = `http://127.0.0.1:${port}/`;
    let once: ReturnType<typeof net.client>;
    const fiveCalls = async (): Promise<number> => {
      once = net.client();
      ports.clear();
      for (let call = 0; call < 5; call++) {
        await once.send({ method: 'GET', url, headers: {} });
        // A connection is free again one turn of the event loop after its answer.
        await delay(5);
        // On a busy machine the delay may be over before a whole turn.
        for (let turns = 0; turns < 3; turns++) await turn();
      }
      return ports.size;
    };
    // Repeated if the machine was so slow that the connection was unused for a while between two calls.
    await eventually(fiveCalls, (size) => size === 1);
    await Promise.all([1, 2, 3].map(() => once.send({ method: 'GET', url, headers: {} })));
    expect(ports.size).toBeGreaterThan(1);
  });

  it('uses a connection for each of many calls at once', async () => {
    let open = 0;
    const all = deferred<void>();
    const port = await net.http((_request, response) => {
      // The server answers none before all calls have arrived.
      if (++open === 30) all.resolve();
      void all.promise.then(() => response.end());
    });
    const once = net.client();
    const calls = Array.from({ length: 30 }, () =>
      once.send({ method: 'GET', url: `http://127.0.0.1:${port}/`, headers: {} }),
    );
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
  });
});

describe('the body', () => {
  it('is read up to the limit, even if it goes on for long', async () => {
    let closed: () => void = () => {};
    const gaveUp = new Promise<void>((resolve) => (closed = resolve));
    const port = await net.http((_request, response) => {
      response.on('close', closed);
      const more = (): void => {
        while (!response.destroyed && response.write('x'.repeat(1024)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const result = await net.send(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ status: 200, failure: null, complete: false });
    expect(result.body).toHaveLength(16_384);
    await gaveUp;
  });

  it('is not decompressed', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const port = await net.http((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const result = await net.send(`http://127.0.0.1:${port}/`);
    expect(result.body).toEqual(bomb.subarray(0, 16_384));
  });

  it.each([
    ['cut off', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort'],
    ['badly chunked', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n'],
  ])('may be %s: the status counts', async (_how, answer) => {
    const port = await net.raw((socket) => socket.end(answer));
    expect(await net.send(`http://127.0.0.1:${port}/`)).toMatchObject({
      status: 200,
      failure: null,
      complete: false,
    });
  });

  it('may come drop by drop: the deadline ends it, and the status counts', async () => {
    const port = await net.http((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    });
    // The status must come before the deadline, on a busy machine, too.
    const timeoutMs = 5_000;
    const result = await net.send(`http://127.0.0.1:${port}/`, { timeoutMs });
    expect(result).toMatchObject({ status: 200, failure: null, complete: false });
    expect(result.durationMs).toBeGreaterThanOrEqual(timeoutMs - 5);
  });
});

describe('TLS', () => {
  it('verifies the name of the host, or its address if it has no name', async () => {
    const port = await net.https((_request, response) => response.writeHead(204).end());
    const options = { ca: AUTHORITY, resolve: resolvesTo('127.0.0.1') };
    for (const host of ['hooks.test', 'hooks.test.', '127.0.0.1']) {
      expect([host, (await net.send(`https://${host}:${port}/`, options)).status]).toEqual([host, 204]);
    }
  });
});

describe('a name server that changes its answer', () => {
  it('is queried once for each connection, which uses that answer', async () => {
    let requests = 0;
    const port = await net.http((_request, response) => {
      requests++;
      response.writeHead(204, { connection: 'close' }).end();
    });
    let questions = 0;
    // The first address is permitted; all later ones are forbidden.
    const resolve: Resolve = () => Promise.resolve(questions++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    const once = net.client({ resolve });
    const call = { method: 'GET', url: `http://rebound.test:${port}/`, headers: {} } as const;
    expect((await once.send(call)).status).toBe(204);
    expect(questions).toBe(1);
    expect((await once.send(call)).failure).toBe('refused_address');
    expect(questions).toBe(2);
    expect(requests).toBe(1);
  });

  it('can answer with several permitted addresses, of which the reachable one is used', async () => {
    const port = await net.http((_request, response) => response.writeHead(204).end());
    const resolve = resolvesTo('127.0.0.9', '127.0.0.1');
    expect((await net.send(`http://hooks.test:${port}/`, { resolve })).status).toBe(204);
  });
});
