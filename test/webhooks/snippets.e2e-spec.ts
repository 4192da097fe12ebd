import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { projectRoot, localDataDir } from '../../src/core/project-root.js';
import { freePort } from '../../tools/local-stack/ports.js';
import { eventually } from '../support/eventually.js';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const guide = readFileSync(path.join(projectRoot, 'docs', 'webhooks.md'), 'utf8');
// In the checkout, so that the code finds its libraries.
const directory = path.join(localDataDir(), `snippets-${process.pid}`);

interface Delivery {
  headers: Record<string, string>;
  body: string;
}

const now = (): string => String(Math.floor(Date.now() / 1000));

function delivery(body = '{"id":"evt_1","event":"order.completed"}', time = now(), id = 'evt_1'): Delivery {
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
  const signature = `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
  const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature };
  return { headers: { 'content-type': 'application/json', ...headers }, body };
}

const changed = (headers: Record<string, string | undefined>, of = delivery()): Delivery => {
  const all = Object.entries({ ...of.headers, ...headers }).filter(([, value]) => value !== undefined);
  return { ...of, headers: Object.fromEntries(all) as Record<string, string> };
};

const GENUINE: [what: string, make: () => Delivery][] = [
  ['as it is sent', () => delivery()],
  ['with letters of other alphabets in the body', () => delivery('{"name":"ร้านเกม"}')],
  [
    'with two signatures, while the secret is changed',
    () => {
      const { headers } = delivery();
      return changed({ 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` });
    },
  ],
];

const signature = 'webhook-signature';
const timestamp = 'webhook-timestamp';

const FORGED: [what: string, make: () => Delivery][] = [
  [
    'no headers of ours',
    () => changed({ 'webhook-id': undefined, [timestamp]: undefined, [signature]: undefined }),
  ],
  ['no id', () => changed({ 'webhook-id': undefined })],
  ['no timestamp', () => changed({ [timestamp]: undefined })],
  ['no signature', () => changed({ [signature]: undefined })],
  ['no content type', () => changed({ 'content-type': undefined, [signature]: 'v1,AAAA' })],
  ['another body', () => ({ ...delivery(), body: '{}' })],
  ['an empty body', () => ({ ...delivery(), body: '' })],
  ['a timestamp six minutes old', () => delivery('{}', String(Number(now()) - 360))],
  ['a timestamp six minutes ahead', () => delivery('{}', String(Number(now()) + 360))],
  ...['', ' ', '²', '1²', 'x', '-1', '0x10', '1e400', 'NaN', '9'.repeat(20), '9'.repeat(5_000)].map(
    (time): (typeof FORGED)[number] => [
      `the timestamp ${time.slice(0, 20)}`,
      () => changed({ [timestamp]: time }),
    ],
  ),
  ...[
    '',
    ' ',
    'v1',
    'v1,',
    'v1,é',
    'é',
    ',',
    ',,',
    'v1,a,b',
    'v1,AAAA',
    'v1,A',
    'v1,%',
    `v1,${'A'.repeat(5_000)}`,
  ].map((given): (typeof FORGED)[number] => [
    `the signature ${given.slice(0, 20)}`,
    () => changed({ [signature]: given }),
  ]),
  [
    'the signature of another version',
    () => changed({ [signature]: (delivery().headers[signature] ?? '').replace('v1,', 'v2,') }),
  ],
];

/** The guide's code in TypeScript, made JavaScript, as files. */
function snippets(): string[] {
  const blocks = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = '']) => code);
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
  return blocks.map((code, index) => {
    const file = path.join(directory, `snippet-${index}.mjs`);
    writeFileSync(file, ts.transpileModule(code, { compilerOptions }).outputText);
    return file;
  });
}

let byLibrary: string;
let byHand: string;

beforeAll(() => {
  mkdirSync(directory, { recursive: true });
  [byLibrary = '', byHand = ''] = snippets();
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the guide’s receiver in TypeScript', () => {
  let child: ChildProcess;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) };
    child = spawn(process.execPath, [byLibrary], { env, stdio: 'ignore' });
    await eventually(
      () => send({ headers: {}, body: '' }).catch(() => 0),
      (status) => status !== 0,
    );
  });

  afterAll(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });

  function send({ headers, body }: Delivery): Promise<number | undefined> {
    const options = { port, path: '/webhooks/topup', method: 'POST', headers };
    return new Promise((resolve, reject) => {
      request(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end(body);
    });
  }

  it.each(GENUINE)('answers 200 to a delivery %s', async (_what, make) => {
    expect(await send(make())).toBe(200);
  });

  it.each(FORGED)('answers 400 to %s', async (_what, make) => {
    expect(await send(make())).toBe(400);
  });
});

describe('the guide’s verification by hand in TypeScript', () => {
  let verify: (headers: IncomingHttpHeaders, body: unknown, secret: string) => boolean;

  beforeAll(async () => {
    ({ verify } = (await import(pathToFileURL(byHand).href)) as { verify: typeof verify });
  });

  /** As Node hands them over: bytes of headers as latin1. */
  const check = ({ headers, body }: Delivery): boolean => verify(headers, Buffer.from(body), SECRET);

  it.each(GENUINE)('takes a delivery %s', (_what, make) => {
    expect(check(make())).toBe(true);
  });

  it.each(FORGED)('refuses %s', (_what, make) => {
    expect(check(make())).toBe(false);
  });

  it.each([[undefined], [null], [{}], ['{}']])('refuses the body %j, which is no bytes', (body) => {
    const { headers } = delivery('');
    expect(verify(headers, body, SECRET)).toBe(false);
  });
});
