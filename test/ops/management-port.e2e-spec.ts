import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Config } from '../../src/core/config.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { expectError } from '../support/expectations.js';
import { Client } from '../support/http.js';
import { sendRaw } from '../support/raw-http.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { onOneConnection, uploadEndlessly } from '../support/uploads.js';
import { openManagementPort } from './management.js';

const PASSWORD = 'correct horse: battery stäple';

let stack: TestStack;
const opened: INestApplication[] = [];

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(async () => {
  for (const api of opened) await api.close();
  await stack.close();
});

/** A process with these settings. @returns the URL of its management port. */
async function open(settings: Partial<Config>): Promise<string> {
  const api = await stack.startApi(settings);
  opened.push(api);
  await api.get(SchemaService).whenReady();
  return openManagementPort(api);
}

const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('with MANAGEMENT_PASSWORD, Bull Board', () => {
  let port: string;

  beforeAll(async () => {
    port = await open({ MANAGEMENT_PASSWORD: PASSWORD, NODE_ENV: 'production' });
  });

  const status = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(port + path, { headers })).status;

  it('asks for a login', async () => {
    const response = await fetch(`${port}/queues`);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
  });

  it('shows its page and data with the right name and password', async () => {
    expect(await status('/queues', basic('operator', PASSWORD))).toBe(200);
    const response = await fetch(`${port}/queues/api/queues`, { headers: basic('operator', PASSWORD) });
    expect(response.status).toBe(200);
    const { queues } = (await response.json()) as { queues: { name: string; readOnlyMode: boolean }[] };
    expect(queues.map(({ name, readOnlyMode }) => [name, readOnlyMode])).toEqual([
      ['fulfilment', true],
      ['webhooks', true],
    ]);
  });

  it.each([
    ['another password', basic('operator', 'wrong')],
    ['another user', basic('admin', PASSWORD)],
    ['no password', basic('operator', '')],
    ['a password that goes on', basic('operator', `${PASSWORD}x`)],
    ['what is not base64', { authorization: 'Basic %%%' }],
    ['another scheme', { authorization: `Bearer ${PASSWORD}` }],
    ['nothing', {}],
  ])('refuses its page and data with %s', async (_what, headers) => {
    for (const path of ['/queues', '/queues/', '/queues/api/queues', '/queues/static/main.js', '/QUEUES'])
      expect([path, await status(path, headers)]).toEqual([path, 401]);
  });

  it('leaves metrics and health open, because they contain nothing about orders', async () => {
    for (const path of ['/metrics', '/healthz', '/readyz'])
      expect([path, (await fetchServed(port + path)).status]).toEqual([path, 200]);
  });

  it('can have another user name', async () => {
    port = await open({ MANAGEMENT_PASSWORD: PASSWORD, MANAGEMENT_USER: 'ops' });
    expect(await status('/queues', basic('ops', PASSWORD))).toBe(200);
    expect(await status('/queues', basic('operator', PASSWORD))).toBe(401);
  });
});

describe('without MANAGEMENT_PASSWORD, Bull Board', () => {
  it.each([
    ['127.0.0.1', 'development'],
    ['localhost', 'test'],
  ] as const)('is open on %s in %s, as npm start runs it', async (MANAGEMENT_HOST, NODE_ENV) => {
    const port = await open({ MANAGEMENT_HOST, NODE_ENV });
    expect((await fetch(`${port.replace('127.0.0.1', MANAGEMENT_HOST)}/queues`)).status).toBe(200);
  });

  it.each([
    ['127.0.0.1', 'production'],
    ['0.0.0.0', 'development'],
    ['0.0.0.0', 'production'],
  ] as const)('is closed on %s in %s, and says what to set', async (MANAGEMENT_HOST, NODE_ENV) => {
    const port = await open({ MANAGEMENT_HOST, NODE_ENV });
    for (const path of ['/queues', '/queues/api/queues']) {
      const response = await fetch(port + path, { headers: basic('operator', '') });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain('Set MANAGEMENT_PASSWORD');
    }
    expect((await fetch(`${port}/metrics`)).status).toBe(200);
  });
});

describe('requests that the management port does not serve', () => {
  let port: string;

  beforeAll(async () => {
    port = await open({ NODE_ENV: 'development' });
  });

  it.each([
    ['GET', '/nothing'],
    ['GET', '/'],
    ['POST', '/metrics'],
    ['GET', '/queues/api/nothing'],
    ['GET', '/%zz'],
  ])('%s %s is answered with the usual error body', async (method, path) => {
    expectError(await new Client(port, null).send(method, path), 404, 'NOT_FOUND');
  });

  it('bytes that are not HTTP get it, too', async () => {
    expectError(await sendRaw(port, 'HELLO\r\n\r\n'), 400, 'BAD_REQUEST');
  });

  it.each([
    'POST /nothing',
    'POST /queues/api/queues',
    'GET /metrics',
    'PUT /queues/api/queues/fulfilment/clean/failed',
  ])('a body is refused, and one that never ends ends the connection: %s', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const body = JSON.stringify({ a: 1 });
    const small = `${route} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const [refused, kept] = await onOneConnection(port, [small], [`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`]);
    expectError(refused as never, 413, 'PAYLOAD_TOO_LARGE');
    expect(kept?.status).toBe(200);
    const { answer, sentBytes } = await uploadEndlessly(port, `${method} ${path} HTTP/1.1`, 'Host: x');
    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('on the public port', () => {
  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await stack.merchant();
  });

  it.each(['/metrics', '/queues', '/queues/', '/queues/api/queues', '/v1/metrics', '/v1/queues'])(
    'there is no %s',
    async (path) => {
      expectError(await merchant.client.get(path), 404, 'NOT_FOUND');
    },
  );
});
