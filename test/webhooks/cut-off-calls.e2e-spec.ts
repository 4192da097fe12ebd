import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpSupplier } from '../../src/suppliers/http/http-supplier.js';
import { AdapterHttp } from '../../src/suppliers/adapter-http.js';
import { eventually } from '../support/eventually.js';
import { Net, TIMEOUT_MS } from './net.js';

const net = new Net();

afterEach(() => net.end());

const LAST = 3;
const answered = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** Behaviours of a server that make a client cut a call off. */
const cutOff: [what: string, answer: (socket: Socket) => void][] = [
  ['no answer', () => {}],
  ['half a header', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-')],
  ['half a body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf')],
  [
    'a body that is too large',
    (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 500000\r\n\r\n${'x'.repeat(400_000)}`),
  ],
];

/**
 * Makes two calls that the client cuts off, one after the other, and a call that gets its answer. A server accepts
 * connections in their order, so by then it has accepted each connection that an earlier call left.
 */
async function connectionsOnce(
  answer: (socket: Socket) => void,
  call: (url: string) => Promise<unknown>,
): Promise<string[]> {
  let closed: Promise<unknown> = Promise.resolve();
  const { port, brought } = await net.recording((socket) => {
    closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    if (brought.filter((text) => text !== '').length < LAST) answer(socket);
    else socket.write(answered);
  });
  for (let number = 1; number <= LAST; number++) {
    await call(`http://127.0.0.1:${port}`);
    if (number < LAST) await closed;
  }
  return brought;
}

/** The same. On a busy machine a call may be cut off before it has sent anything; then all calls are made again. */
const connectionsOf: typeof connectionsOnce = (answer, call) =>
  eventually(
    () => connectionsOnce(answer, call),
    (brought) => brought.filter((text) => text !== '').length === LAST,
  );

describe('a call that the client cuts off leaves no unused connection', () => {
  it.each(cutOff)('at a webhook’s host: %s', async (_what, answer) => {
    const client = net.client({ timeoutMs: TIMEOUT_MS });
    const brought = await connectionsOf(answer, (url) => client.send({ method: 'GET', url, headers: {} }));
    expect(brought.map((text) => text.slice(0, 3))).toEqual(['GET', 'GET', 'GET']);
  });

  it.each(cutOff)('at a supplier: %s', async (_what, answer) => {
    const http = new AdapterHttp();
    const supplier = new HttpSupplier(http);
    const settings = { token: null, timeoutMs: 300 };
    const brought = await connectionsOf(answer, (baseUrl) =>
      supplier.inquiry.query({ ...settings, baseUrl }, { sku: 'x', reference: 'ord_1.1.1', supplierReference: null }),
    );
    expect(brought.map((text) => text.slice(0, 3))).toEqual(['GET', 'GET', 'GET']);
    await http.close();
  });
});
