import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../src/core/project-root.js';
import { endProcess } from '../support/child-process.js';
import { eventually } from '../support/eventually.js';
import { keptPort } from '../support/kept-port.js';
import { findProgram } from '../support/programs.js';

const caddy = await findProgram('caddy');
if (caddy === null)
  process.stderr.write('SKIPPED, because there is no caddy and none can be fetched: the names of the profile edge\n');

const NAMES = { EDGE_API_NAME: 'topup.localhost', EDGE_CONSOLE_NAME: 'console.localhost' };
const START = path.join(projectRoot, 'deploy/caddy/start.sh');

interface Answer {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

/** A server behind Caddy, which answers with what it was asked. */
class Behind {
  readonly server: Server = createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

(caddy === null ? describe.skip : describe)('Caddy, with the files of deploy/caddy', () => {
  let folder: string;
  let child: ChildProcess;
  let log = '';
  let api: Behind;
  let operators: Behind;
  let ports: { http: number; https: number };

  beforeAll(async () => {
    if (caddy === null) return;
    [api, operators] = [await new Behind().listen(await keptPort()), await new Behind().listen()];
    const http = await keptPort();
    const https = await keptPort([http]);
    const health = await keptPort([http, https]);
    ports = { http, https };
    folder = mkdtempSync(path.join(tmpdir(), 'topup-caddy-'));
    cpSync(path.join(projectRoot, 'deploy/caddy'), folder, { recursive: true });
    mkdirSync(path.join(folder, 'own'), { recursive: true });
    // Certificates of its own authority, and other ports: what an operator could set as well.
    writeFileSync(
      path.join(folder, 'own', 'test.caddy'),
      `local_certs\nskip_install_trust\nhttp_port ${http}\nhttps_port ${https}\n`,
    );
    for (const name of ['Caddyfile', 'start.sh']) {
      const file = path.join(folder, name);
      const changed = readFileSync(file, 'utf8')
        .replaceAll('/etc/topup', folder)
        .replace('nginx:8080', api.address)
        .replace('console:{$CONSOLE_PORT:3100}', operators.address)
        .replace('127.0.0.1:8081', `127.0.0.1:${health}`);
      writeFileSync(file, changed);
    }
    child = spawn('sh', [path.join(folder, 'start.sh')], {
      env: {
        ...caddy.env,
        ...NAMES,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        PATH: `${path.dirname(caddy.program)}:${process.env.PATH ?? ''}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => (log += String(part)));
    await eventually(
      async () => (await fetch(`http://127.0.0.1:${health}/`).catch(() => null))?.status ?? log,
      (status) => status === 200,
    );
    await eventually(
      () => asked('topup.localhost', '/').then(({ status }) => status, String),
      (status) => status === 200,
    );
  });

  afterAll(async () => {
    await endProcess(child);
    await Promise.all([api.close(), operators.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** A request by HTTPS. The certificate must be one of Caddy's authority, for this name. */
  async function asked(name: string, url: string, headers: Record<string, string> = {}): Promise<Answer> {
    const ca = readFileSync(path.join(folder, 'caddy/pki/authorities/local/root.crt'));
    const options = { host: '127.0.0.1', port: ports.https, servername: name, path: url, ca, agent: false };
    const request = httpsRequest({ ...options, headers: { host: name, ...headers } });
    request.end();
    return answerOf(request);
  }

  async function answerOf(request: ReturnType<typeof httpRequest>): Promise<Answer> {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it.each(Object.values(NAMES))('redirects HTTP to HTTPS: %s', async (name) => {
    const request = httpRequest({ host: '127.0.0.1', port: ports.http, path: '/v1/wallet', headers: { host: name } });
    request.end();
    const { status, headers } = await answerOf(request);
    expect({ status, location: headers.location }).toEqual({
      status: 308,
      location: expect.stringMatching(new RegExp(`^https://${name}(:\\d+)?/v1/wallet$`)),
    });
  });

  it.each(Object.values(NAMES))('passes on the caller’s own address, and none that it names: %s', async (name) => {
    const { body } = await asked(name, '/v1/wallet', { 'x-forwarded-for': '8.8.8.8', 'x-api-key': 'topup_live_1' });
    expect(JSON.parse(body)).toMatchObject({
      url: '/v1/wallet',
      headers: {
        host: name,
        'x-api-key': 'topup_live_1',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-proto': 'https',
      },
    });
  });

  it('answers as the API does while nginx is away, and logs neither keys nor addresses', async () => {
    const port = (api.server.address() as AddressInfo).port;
    await api.close();
    const { status, headers, body } = await asked('topup.localhost', '/supplier-callbacks/secret-token?user=player-7', {
      'x-api-key': 'topup_live_2',
    });
    api = await new Behind().listen(port);
    expect({ status, retryAfter: headers['retry-after'], type: headers['content-type'] }).toEqual({
      status: 503,
      retryAfter: '1',
      type: 'application/json; charset=utf-8',
    });
    expect(JSON.parse(body)).toMatchObject({ status: 503, code: 'SERVICE_UNAVAILABLE' });
    await eventually(
      () => asked('topup.localhost', '/'),
      (answer) => answer.status === 200,
    );
    expect(log).not.toMatch(/topup_live_2|secret-token|player-7/);
  });

  it('says so while the console is away', async () => {
    await operators.close();
    expect(await asked('console.localhost', '/')).toMatchObject({
      status: 503,
      body: 'The console does not answer. Please try again in a minute.',
    });
  });
});

describe('deploy/caddy/start.sh', () => {
  it.each([' ', 'https://topup.example.com', 'topup.example.com, other.example.com'])(
    'refuses a name that is none: "%s"',
    (name) => {
      const env = { PATH: process.env.PATH, EDGE_CONSOLE_NAME: 'console.example.com', EDGE_API_NAME: name };
      const { status, stderr } = spawnSync('sh', [START], { env, encoding: 'utf8' });
      expect(stderr).toMatch(/^EDGE_API_NAME must be the name of a host.+make-env\.sh/);
      expect(status).toBe(1);
    },
  );
});
