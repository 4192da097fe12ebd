import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { AddressPolicy } from '../../src/core/safe-http/address-policy.js';
import type { Resolve } from '../../src/core/safe-http/resolve.js';
import { SafeHttpClient, type HttpResult, type SafeHttpOptions } from '../../src/core/safe-http/safe-http-client.js';
import { parseNetwork } from '../../src/core/networks.js';
import { CERTIFICATE, KEY } from './certificates.js';

/** The timeout of calls that get no answer; all others may take longer. */
export const TIMEOUT_MS = 600;

const LOOPBACK = new AddressPolicy(
  ['127.0.0.0/8', '::1/128'].map(parseNetwork).filter((network) => network !== undefined),
);

export interface Recording {
  port: number;
  /** One entry for each connection, in order. */
  brought: string[];
}

/** Servers and clients of one test, which `end` closes. */
export class Net {
  private readonly cleanups: (() => Promise<unknown>)[] = [];

  http(listener: RequestListener, host?: string): Promise<number> {
    return this.listen(createHttpServer(listener), host);
  }

  https(listener: RequestListener, host?: string): Promise<number> {
    return this.listen(createHttpsServer({ key: KEY, cert: CERTIFICATE }, listener), host);
  }

  /** A server that writes these bytes after it received something. */
  raw(answer: (socket: Socket) => void): Promise<number> {
    return this.listen(createTcpServer((socket) => void socket.once('data', () => answer(socket))));
  }

  /** A server that records the bytes of each connection, and answers the first ones. */
  async recording(answer: (socket: Socket, connection: number) => void): Promise<Recording> {
    const brought: string[] = [];
    const server = createTcpServer((socket) => {
      const number = brought.push('');
      socket.setEncoding('utf8').on('data', (text: string) => (brought[number - 1] += text));
      socket.once('data', () => answer(socket, number));
    });
    return { port: await this.listen(server), brought };
  }

  client(options: Partial<SafeHttpOptions> = {}): SafeHttpClient {
    const client = new SafeHttpClient({
      policy: LOOPBACK,
      timeoutMs: 600_000,
      maxBodyBytes: 16_384,
      ...options,
    });
    this.cleanups.push(() => client.close());
    return client;
  }

  /** Posts a small body with a new client. */
  send(url: string, options: Partial<SafeHttpOptions> = {}): Promise<HttpResult> {
    const call = { url, headers: { 'x-test': 'yes' }, body: Buffer.from('{"a":1}') };
    return this.client(options).send({ method: 'POST', ...call });
  }

  async end(): Promise<void> {
    for (const cleanup of this.cleanups.splice(0).reverse()) await cleanup();
  }

  private async listen(server: Server, host = '127.0.0.1'): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      socket.on('error', () => {});
      sockets.add(socket.once('close', () => sockets.delete(socket)));
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    this.cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }
}

/** A name server that always gives these addresses. */
export const resolvesTo =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses);
