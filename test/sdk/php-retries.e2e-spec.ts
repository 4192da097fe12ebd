import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { call, describePhp, SDK, type Called } from './php/php.js';

describePhp('the SDK for PHP, if the service answers with errors', () => {
  /** The answers, one after the other; the last one is repeated. */
  let answers: { status: number; body?: unknown; headers?: Record<string, string> }[];
  let requests: string[];
  let server: Server;
  let url: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { status, body, headers } = answers[Math.min(requests.length, answers.length - 1)] ?? {
        status: 500,
      };
      requests.push(`${request.method} ${request.url}`);
      if (status === 0) return request.socket.destroy();
      response.writeHead(status, { ...headers, connection: 'close' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => void server.close());

  async function answered(code: string, ...given: typeof answers): Promise<Called & { requests: string[] }> {
    [answers, requests] = [given, []];
    return { ...(await call(url, 'topup_x', `return ${code};`)), requests };
  }

  const CREATE = `$topup->orders->create(['reference_id' => 'r'])`;
  const OK = { status: 200, body: { reference_id: 'r' } };
  const busy = (seconds: string): (typeof answers)[number] => ({
    status: 503,
    body: { code: 'SERVICE_UNAVAILABLE', message: 'later' },
    headers: { 'retry-after': seconds },
  });

  it('waits for the time of Retry-After, and repeats the request', async () => {
    const { value, waits, requests: sent } = await answered(CREATE, busy('7'), { ...busy('2'), status: 429 }, OK);
    expect([value, sent.length]).toEqual([OK.body, 3]);
    expect([Math.floor(waits[0] ?? 0), Math.floor(waits[1] ?? 0)]).toEqual([7, 2]);
  });

  it('also reads a date, and otherwise waits with its own, growing delays', async () => {
    const atMs = Date.now() + 50_000;
    const { waits } = await answered(CREATE, busy(new Date(atMs).toUTCString()), busy('soon'), { status: 0 }, OK);
    // What is left of it once PHP has started, which takes a slow machine long, without the part of a second that it leaves out.
    expect(waits[0]).toBeGreaterThan((atMs - Date.now()) / 1_000 - 2);
    expect(waits[0]).toBeLessThanOrEqual(50);
    expect(waits[1]).toBeGreaterThanOrEqual(1);
    expect(waits[2]).toBeGreaterThanOrEqual(2);
  });

  it('gives up after three repeats, and at once after a very long Retry-After', async () => {
    const often = await answered(CREATE, busy('1'));
    expect([often.thrown, often.requests.length]).toEqual(['Topup\\Exception\\ServiceUnavailable', 4]);
    const long = await answered(CREATE, busy('3600'));
    expect([long.thrown, long.requests.length, long.retryAfter]).toEqual([
      'Topup\\Exception\\ServiceUnavailable',
      1,
      3600,
    ]);
    const silent = await answered(CREATE, { status: 0 });
    expect([silent.thrown, silent.requests.length]).toEqual(['Topup\\Exception\\TransportException', 4]);
    expect(silent.message).toMatch(/^no answer to POST http:\/\/127\.0\.0\.1:\d+\/v1\/orders: /);
  });

  it.each([
    `$topup->sandbox->credit('1.00')`,
    `$topup->webhooks->create(['url' => 'http://x'])`,
    `$topup->webhooks->update(1, ['secret' => 'another secret of mine', 'rotation_overlap' => 600])`,
    `$topup->webhooks->delete(1)`,
    `$topup->webhooks->test(1)`,
  ])('does not repeat %s, which the service may have carried out', async (code) => {
    expect((await answered(code, { status: 0 })).requests).toHaveLength(1);
    expect((await answered(code, busy('1'))).requests).toHaveLength(1);
    expect((await answered(code, { ...busy('1'), status: 429 }, OK)).requests).toHaveLength(2);
  });

  it.each([
    ['<html>', { status: 502, body: '<html>' }],
    ['a list of nothing', { status: 418, body: '[]' }],
    ['a number', { status: 400, body: '7' }],
    ['details that are none', { status: 400, body: { code: 7, message: [], details: ['x', 1] } }],
  ])('throws an error for %s', async (_what, answer) => {
    expect((await answered(CREATE, answer)).thrown).toBe('Topup\\Exception\\ApiException');
  });

  it('does not take an unreadable answer for an order', async () => {
    expect((await answered(CREATE, { status: 200, body: 'OK' })).thrown).toBe('Topup\\Exception\\TransportException');
  });

  it('has an exception for each code of the service', async () => {
    const classes = readdirSync(path.join(SDK, 'src/Exception')).map((file) => file.slice(0, -4));
    for (const [code, status] of Object.entries({
      CONFLICT: 409,
      FORBIDDEN: 403,
      INTERNAL_ERROR: 500,
      PAYLOAD_TOO_LARGE: 413,
    })) {
      const { thrown = '' } = await answered(CREATE, { status, body: { code, message: 'm' } });
      const name = code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
      expect([thrown, classes]).toEqual([`Topup\\Exception\\${name}`, expect.arrayContaining([name])]);
    }
  });
});
