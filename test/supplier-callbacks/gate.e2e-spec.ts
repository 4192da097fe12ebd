import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../src/core/secret-box.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { SIGNATURE_HEADER, signatureOf, useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { sendRaw } from '../support/raw-http.js';
import { untilServed } from '../support/until-served.js';
import { Wire } from '../support/wire.js';
import { CallbackScene, openedBody, type StoredCallback } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;
let url: string;
let nobody: Client;

beforeAll(async () => {
  scene = await CallbackScene.start({}, { worker: false });
  url = scene.stack.url;
  nobody = new Client(url, null);
});

afterAll(() => scene.stack.close());

const PING = JSON.stringify({ kind: 'ping' });
const signed = (body: string | Buffer): Record<string, string> => ({ [SIGNATURE_HEADER]: signatureOf(body) });
const send = async (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer<unknown>> =>
  nobody.send('POST', await scene.path('signing'), body, { ...signed(body), ...headers });

describe('the callback address of a supplier', () => {
  it('is open to the supplier without an API key', async () => {
    expect((await send(PING)).status).toBe(200);
  });

  it('answers the same 404 for a wrong token, an unknown supplier, and a supplier without callbacks', async () => {
    const token = await scene.token('signing');
    const paths = [
      `signing/${token.replace(/^./, (first) => (first === '0' ? '1' : '0'))}`,
      `signing/${await scene.token('plain')}`,
      `signing/${token}0`,
      `nobody/${token}`,
      `fake/${token}`,
      'signing/%20',
    ];
    const answers = await Promise.all(
      paths.map((path) => nobody.post(`/supplier-callbacks/${path}`, PING, signed(PING))),
    );
    for (const answer of answers) expectError(answer, 404, 'NOT_FOUND', 'The callback address was not found');
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('serves POST and GET, and nothing else', async () => {
    const path = await scene.path('plain');
    const before = (await scene.stored('plain')).length;
    for (const method of ['PUT', 'PATCH', 'DELETE'])
      expectError(await nobody.send(method, path, PING), 404, 'NOT_FOUND');
    expect((await fetch(url + path, { method: 'HEAD' })).status).toBe(404);
    expect(await scene.stored('plain')).toHaveLength(before);
  });

  it('is not in the documentation for merchants', async () => {
    const document = await (await fetch(`${url}/docs-json`)).text();
    expect(document).not.toMatch(/supplier-callbacks|SupplierCallback/);
  });

  it('works at once for a new supplier', async () => {
    await scene.set('new comer/1', 'calling');
    const path = `/supplier-callbacks/new%20comer%2F1/${await scene.token('new comer/1')}`;
    expect((await nobody.post(path, PING)).status).toBe(200);
  });
});

describe('a callback', () => {
  it('with a wrong or missing signature is refused, and its body is not stored', async () => {
    const path = await scene.path('signing');
    const wrong = { [SIGNATURE_HEADER]: signatureOf(PING, 'another secret') };
    for (const headers of [{}, wrong]) {
      expectError(await nobody.post(path, PING, headers), 401, 'UNAUTHORIZED');
      const last = await scene.last('signing');
      expect(last).toMatchObject({ verdict: 'refused', detail: 'its signature is wrong', body_sealed: null });
    }
  });

  it('is read as the bytes that were sent, whatever their content type', async () => {
    const bodies: [Buffer, Record<string, string>][] = [
      [Buffer.from([0xff, 0xfe, 0x00, 0x80]), { 'content-type': 'application/json' }],
      [gzipSync(PING), { 'content-encoding': 'gzip' }],
      [Buffer.from('a=1&b=2'), { 'content-type': 'application/x-www-form-urlencoded' }],
      [Buffer.from('{'), { 'content-type': 'text/plain; charset=utf-16' }],
    ];
    for (const [body, headers] of bodies) {
      expect((await send(body, headers)).status).toBe(200);
      const callback = (await scene.last('signing')) as StoredCallback;
      expect(callback.verdict).toBe('unreadable');
      expect(openedBody(callback, scene.stack.api.get(SecretBox))).toEqual(body);
    }
  });

  it('may have at most 64 KiB', async () => {
    const [most, more] = [Buffer.alloc(64 * 1024, ' '), Buffer.alloc(64 * 1024 + 1, ' ')];
    expect((await send(most)).status).toBe(200);
    const before = (await scene.stored('signing')).length;
    expectError(await send(more), 413, 'PAYLOAD_TOO_LARGE', 'The request body is larger than 64 KiB');
    const head = `POST ${await scene.path('signing')} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunked = await untilServed(() => sendRaw(url, head, `${more.length.toString(16)}\r\n`, more));
    expectError(chunked, 413, 'PAYLOAD_TOO_LARGE');
    expect(await scene.stored('signing')).toHaveLength(before);
  });

  it('that waits for status 100 gets it', async () => {
    const path = await scene.path('plain');
    const patiently = async (): Promise<(number | undefined)[]> => {
      const outgoing = request(url + path, { method: 'POST', headers: { expect: '100-continue' } });
      const statuses: (number | undefined)[] = [];
      outgoing.once('continue', () => {
        statuses.push(100);
        outgoing.end(PING);
      });
      outgoing.flushHeaders();
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
      statuses.push(response.resume().statusCode);
      outgoing.end();
      return statuses;
    };
    expect(await eventually(patiently, (statuses) => statuses.at(-1) !== 503)).toEqual([100, 200]);
  });

  it('at a wrong address is not read, however large it is', async () => {
    const answer = await nobody.post('/supplier-callbacks/signing/wrong', Buffer.alloc(100_000));
    expectError(answer, 404, 'NOT_FOUND');
  });

  it('is kept for an operator if the supplier’s settings can’t be unsealed', async () => {
    await scene.set('shut', 'calling', { webhook_secret: 'its-secret' });
    await scene.stack.sql(`UPDATE suppliers SET credentials_sealed = '\\x01' WHERE code = 'shut'`);
    expect((await nobody.post(await scene.path('shut'), PING)).status).toBe(200);
    expect(await scene.last('shut')).toMatchObject({ verdict: 'unreadable' });
  });
});

describe('the limit of callbacks', () => {
  const pings = (path: string, count: number): Promise<Answer<unknown>[]> =>
    Promise.all(Array.from({ length: count }, () => nobody.post<unknown>(path, PING, signed(PING))));
  const statuses = (answers: Answer<unknown>[]): Set<number> => new Set(answers.map(({ status }) => status));

  it('is 100 a second for each supplier', async () => {
    // A supplier without a callback within this second.
    await scene.set('limited', 'calling');
    const path = await scene.path('limited');
    const answers: Answer<unknown>[] = [];
    // A busy machine may need several tries to send so many within a second.
    const limited = await eventually(
      async () => {
        answers.push(...(await pings(path, 400)));
        return answers.filter(({ status }) => status === 429);
      },
      ({ length }) => length > 0,
    );
    expect(statuses(answers)).toEqual(new Set([200, 429]));
    expect(answers.length - limited.length).toBeGreaterThanOrEqual(100);
    for (const answer of limited) {
      expectError(answer, 429, 'TOO_MANY_REQUESTS');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
  });

  it('does not count callbacks without the right token', async () => {
    expect(statuses(await pings('/supplier-callbacks/patient/wrong', 300))).toEqual(new Set([404]));
    expect(statuses(await pings(await scene.path('patient'), 20))).toEqual(new Set([200]));
  });
});

describe('while PostgreSQL is away', () => {
  let wire: Wire;
  let api: INestApplication;

  beforeAll(async () => {
    wire = await new Wire(scene.stack.config.DATABASE_URL).listen();
    api = await scene.stack.startApi({ DATABASE_URL: wire.url });
    await api.get(SchemaService).whenReady();
  });

  afterAll(async () => {
    await api.close();
    await wire.close();
  });

  it('a callback gets 503, so that the supplier repeats it, and the repeat is accepted later', async () => {
    const client = new Client(scene.stack.urlOf(api), null).once;
    const path = await scene.path('signing');
    wire.cut();
    const answer = await client.post(path, PING, signed(PING));
    expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
    wire.restore();
    await eventually(
      () => client.post(path, PING, signed(PING)),
      ({ status }) => status === 200,
    );
  });
});
