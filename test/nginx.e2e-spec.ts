import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { keptPort } from './support/kept-port.js';
import { startNginx, type RunningNginx } from './support/nginx.js';
import { findProgram } from './support/programs.js';

const nginx = await findProgram('nginx');
if (nginx === null)
  process.stderr.write('SKIPPED, because there is no nginx and none can be fetched: replicas behind nginx\n');

const ORDER = { method: 'POST', body: JSON.stringify({ reference_id: 'shop-1' }) };

/** A replica of the API: the requests that it got, and its behaviour. */
class Replica {
  readonly seen: string[] = [];
  does: RequestListener = (_request, response) => response.end('{}');
  private readonly server: Server = createServer((request, response) => {
    this.seen.push(`${request.method} ${request.url}`);
    this.does(request, response);
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('the nginx in front of the APIs', () => {
  it.each([
    ['deploy/nginx/nginx.conf', 'proxy_connect_timeout', 'proxy_read_timeout'],
    ['deploy/ha/balancer.cfg', 'timeout connect', 'timeout server'],
  ])('waits for slow answers, and gives its own answer before merchants give up: %s', (file, connect, read) => {
    const settings = readFileSync(file, 'utf8');
    const msOf = (name: string): number => Number(new RegExp(`^ *${name} (\\d+)ms;?$`, 'm').exec(settings)?.[1]);
    const apiAnswersWithinMs = 8_000;
    const merchantsWaitMs = 10_000;
    expect(msOf(read)).toBeGreaterThanOrEqual(apiAnswersWithinMs + 400);
    // One replica is gone, and the next one hangs.
    expect(msOf(connect) + msOf(read)).toBeLessThan(merchantsWaitMs - 500);
  });
});

describe('the start of nginx', () => {
  const NAMES = ['fullchain.pem', 'privkey.pem'] as const;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'topup-nginx-start-'));
    mkdirSync(join(folder, 'certificates'));
    writeFileSync(join(folder, 'nginx'), '#!/bin/sh\n', { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs the script up to the start of nginx itself. @returns its exit code, and how nginx would listen. */
  function start(): { status: number | null; stderr: string; listen: string } {
    const script = readFileSync('deploy/nginx/start.sh', 'utf8').replaceAll(/\/etc\/topup|\/tmp\/topup/g, folder);
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      env: { PATH: `${folder}:${process.env.PATH ?? ''}` },
      encoding: 'utf8',
    });
    const file = join(folder, 'listen.conf');
    return { status, stderr, listen: existsSync(file) ? readFileSync(file, 'utf8') : '' };
  }

  it('is by HTTP without a certificate, and by HTTPS with one', () => {
    expect(start()).toMatchObject({ status: 0, listen: 'listen 8080 default_server;\n' });
    for (const name of NAMES) writeFileSync(join(folder, 'certificates', name), 'PEM');
    expect(start()).toMatchObject({ status: 0, listen: expect.stringMatching(/^listen 8080 ssl default_server;/) });
  });

  it.each(NAMES)('fails, and is not by HTTP, if only %s can be read', (name) => {
    const other = NAMES.find((each) => each !== name) ?? name;
    writeFileSync(join(folder, 'certificates', name), 'PEM');
    symlinkSync('../archive/gone.pem', join(folder, 'certificates', other));
    expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining('must both be files'), listen: '' });
  });
});

(nginx === null ? describe.skip : describe)('nginx before several replicas', () => {
  let first: Replica;
  let other: Replica;
  let router: RunningNginx;
  let beforeOneThatIsGone: RunningNginx;

  beforeAll(async () => {
    if (!nginx) return;
    [first, other] = [await new Replica().listen(), await new Replica().listen()];
    const gone = `http://127.0.0.1:${await keptPort()}`;
    router = await startNginx(nginx, { api: [first.url, other.url], cells: '' });
    beforeOneThatIsGone = await startNginx(nginx, { api: [gone, other.url], cells: '' });
  });

  afterAll(async () => {
    await Promise.all([router.stop(), beforeOneThatIsGone.stop()]);
    await Promise.all([first.close(), other.close()]);
  });

  beforeEach(() => {
    first.seen.length = 0;
    other.seen.length = 0;
  });

  it('sends an order to another replica if the first is gone', async () => {
    expect((await fetch(`${beforeOneThatIsGone.url}/v1/orders`, ORDER)).status).toBe(200);
    expect(other.seen).toEqual(['POST /v1/orders']);
  });

  it('logs the replica of a request, but neither its query nor a secret in its path', async () => {
    await fetch(`${beforeOneThatIsGone.url}/v1/orders?user_id=555123456&limit=5`);
    await fetch(`${beforeOneThatIsGone.url}/v1/wallet/supplier-callbacks/?x=/supplier-callbacks/`);
    await fetch(`${beforeOneThatIsGone.url}/supplier-callbacks/acme-token-1/more?x=1`);
    await fetch(`${beforeOneThatIsGone.url}/deposit-callbacks/opn/token-1`);
    const lines = await eventually(
      () =>
        beforeOneThatIsGone
          .log()
          .split('\n')
          .filter((line) => line.startsWith('{')),
      (found) => found.some((line) => line.includes('"/supplier-callbacks/')),
    );
    const uris = lines.map((line) => (JSON.parse(line) as { uri: string }).uri);
    expect(uris).toEqual(
      expect.arrayContaining([
        '/v1/orders',
        '/v1/wallet/supplier-callbacks/…',
        '/supplier-callbacks/…',
        '/deposit-callbacks/…',
      ]),
    );
    expect(lines.join('')).not.toMatch(/555123456|acme-token-1|x=/);
  });

  it('logs errors with the failed replica, and also without a query or a secret', async () => {
    const path = '/v1/orders?user_id=555123456';
    first.does = (request) => request.socket.destroy();
    for (const url of [router.url, beforeOneThatIsGone.url]) {
      await fetch(url + path);
      await fetch(url + path, {
        ...ORDER,
        headers: { referer: `https://shop.example${path}` },
      });
      await fetch(url + path, { method: 'POST', body: 'x'.repeat(310_000) });
      await fetch(`${url}/supplier-callbacks/acme-token-2${path}`, { method: 'POST', body: '{}' });
    }
    const lines = await eventually(
      () => (router.log() + beforeOneThatIsGone.log()).split('\n').filter((line) => line.startsWith('{')),
      (found) => found.filter((line) => line.includes('"/supplier-callbacks/')).length > 2,
    );
    expect(router.log() + beforeOneThatIsGone.log()).not.toMatch(/555123456|acme-token-2/);
    const refused = lines
      .map((line) => JSON.parse(line) as Record<string, string>)
      .find(({ status }) => status === '503');
    expect(refused).toMatchObject({
      upstream: new URL(first.url).host,
      upstream_status: '502',
      limit: 'PASSED',
    });
    expect(refused?.upstream_connect_seconds).toMatch(/^\d+\.\d+$/);
  });

  it('repeats only requests that read if a replica breaks the connection, and never an order', async () => {
    first.does = (request) => request.socket.destroy();
    const refused = await fetch(`${router.url}/v1/orders`, ORDER);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      503,
      '1',
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }),
    ]);
    expect([first.seen, other.seen]).toEqual([['POST /v1/orders'], []]);
    expect((await fetch(`${router.url}/v1/wallet`)).status).toBe(200);
    expect([first.seen.slice(1), other.seen]).toEqual([['GET /v1/wallet'], ['GET /v1/wallet']]);
  });

  it('logs that a replica hangs, and does not cut off one that is still answering', async () => {
    // They take longer than nginx waits for one of them.
    const PARTS = 24;
    first.does = ({ url }, response) => {
      if (url !== '/long') return;
      response.write('.');
      let left = PARTS;
      const timer = setInterval(() => {
        left--;
        if (left === 0) clearInterval(timer);
        response[left === 0 ? 'end' : 'write']('.');
      }, 500);
    };
    const [order, long] = await Promise.all([
      fetch(`${router.url}/v1/orders`, ORDER),
      fetch(`${router.url}/long`).then((response) => response.text()),
    ]);
    expect([order.status, order.headers.get('retry-after')]).toEqual([503, '1']);
    expect(first.seen.toSorted()).toEqual(['GET /long', 'POST /v1/orders']);
    expect([long, other.seen]).toEqual(['.'.repeat(PARTS + 1), []]);
  });
});

/** Uploads that stop before their end, each over its own connection. */
class StalledUploads {
  private readonly sockets: Socket[] = [];
  /** The beginnings of the answers. */
  readonly answers: string[] = [];

  /** @param addressOf the sender's address that a proxy adds. @param sent how many of the bytes arrive. */
  constructor(
    private readonly url: string,
    count: number,
    private readonly bytes: number,
    private readonly addressOf: (index: number) => string,
    private readonly sent = bytes - 1,
  ) {
    this.hold(count);
  }

  /** Begins others for uploads that have ended, so that this many are under way. */
  hold(count: number): void {
    const { hostname, port } = new URL(this.url);
    const body = 'x'.repeat(this.sent);
    for (let missing = count - this.held; missing > 0; missing--) {
      const socket = connect(Number(port), hostname);
      const address = this.addressOf(this.sockets.push(socket) - 1);
      const head = ['POST /v1/orders HTTP/1.1', 'Host: shop', `X-Forwarded-For: ${address}`];
      socket.on('error', () => undefined);
      socket.on('data', (data: Buffer) => {
        if (socket.bytesRead === data.length) this.answers.push(data.toString());
      });
      socket.write(`${head.join('\r\n')}\r\nContent-Length: ${this.bytes}\r\n\r\n${body}`);
    }
  }

  get held(): number {
    return this.sockets.filter((socket) => socket.bytesRead === 0 && !socket.closed).length;
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

(nginx === null ? describe.skip : describe)('uploads without a key that stall', () => {
  let api: Replica;
  let router: RunningNginx;
  let uploads: StalledUploads;

  beforeEach(async () => {
    if (!nginx) return;
    api = await new Replica().listen();
    router = await startNginx(nginx, { api: api.url, cells: '', trustedProxies: '127.0.0.1' });
  });

  afterEach(async () => {
    uploads.end();
    await router.stop();
    await api.close();
  });

  it('of one address occupy little memory, and only for a while', async () => {
    uploads = new StalledUploads(router.url, 150, 290_000, () => '203.0.113.7', 1);
    await eventually(
      () => {
        // A slow machine takes longer for all of them than nginx waits for the first ones. No more: others are one too many.
        uploads.hold(64 + 1);
        return uploads.answers.length;
      },
      (count) => count >= 150 - 64,
    );
    expect(uploads.answers[0]).toMatch(/^HTTP\/1\.1 429 /);
    expect(uploads.answers[0]).toMatch(/^Retry-After: 1\r$/m);
    expect(uploads.answers[0]).toContain('"code":"TOO_MANY_REQUESTS"');
    // Other senders are served meanwhile, and so are small requests.
    const large = { method: 'POST', body: 'x'.repeat(200_000) };
    const from = (address: string): { headers: Record<string, string> } => ({
      headers: { 'x-forwarded-for': address },
    });
    const sent = [
      fetch(`${router.url}/v1/orders`, { ...large, ...from('203.0.113.8') }),
      fetch(`${router.url}/v1/orders`, { ...ORDER, ...from('203.0.113.7') }),
    ];
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
    await eventually(
      () => uploads.held,
      (held) => held === 0,
    );
  });

  it('of many addresses fit into the memory of the container', async () => {
    const compose = readFileSync('docker-compose.yml', 'utf8');
    const limit = Number(/^ {2}nginx:[^]*?memory: (\d+)m/m.exec(compose)?.[1]);
    uploads = new StalledUploads(router.url, 800, 290_000, (index) => `10.0.${index >> 8}.${index & 255}`);
    await eventually(
      () => {
        // A slow machine takes longer for all of them than nginx waits for the first ones.
        uploads.hold(600);
        return uploads.answers.length;
      },
      (count) => count >= 800 - 400,
    );
    expect(uploads.answers[0]).toMatch(/^HTTP\/1\.1 429 /);
    expect(router.memoryMiB()).toBeLessThan(limit / 2);
    expect((await fetch(`${router.url}/v1/orders`, ORDER)).status).toBe(200);
  });

  it('are refused at once if they are larger than the API accepts', async () => {
    uploads = new StalledUploads(router.url, 1, 310_000, () => '203.0.113.7');
    await eventually(
      () => uploads.answers.length,
      (count) => count === 1,
    );
    expect(uploads.answers[0]).toMatch(/^HTTP\/1\.1 413 /);
  });
});
