import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { AdapterHttp, wasNeverSent } from './adapter-http.js';

/** More than 256, an earlier limit of connections: calls over it waited for others, and some were never sent. */
const CALLS = 400;

describe('calls of adapters', () => {
  it('never wait for one another: a supplier may have hundreds of them in flight', async () => {
    const open: ServerResponse[] = [];
    const server = createServer((_request, response) => {
      if (open.push(response) === CALLS) for (const each of open) each.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const http = new AdapterHttp();
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/top-ups`;
      const call = { method: 'POST', url, headers: {}, body: '{}', timeoutMs: 140_000 } as const;
      const answers = await Promise.all(Array.from({ length: CALLS }, () => http.call(call)));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    } finally {
      await http.close();
      server.close();
    }
  });

  it.each(['ECONNREFUSED', 'EADDRNOTAVAIL', 'EMFILE'])('were never sent without a connection: %s', (code) => {
    expect(wasNeverSent(Object.assign(new Error(), { code, syscall: 'connect' }))).toBe(true);
    expect(wasNeverSent(Object.assign(new Error(), { code, syscall: 'write' }))).toBe(false);
  });
});
