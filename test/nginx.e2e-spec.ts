import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { keptPort } from './support/kept-port.js';
import { startNginx, type RunningNginx } from './support/nginx.js';
import { findProgram } from './support/programs.js';

const nginx = await findProgram('nginx');
if (nginx === null)
  process.stderr.write('SKIPPED, because there is no nginx and none can be fetched: replicas behind nginx\n');

const ORDER = { method: 'POST', body: JSON.stringify({ reference_id: 'shop-1' }) };

/** A replica of the API: what it was sent, and what it does with that. */
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

describe('what stands before the APIs', () => {
  it.each([
    ['deploy/nginx/nginx.conf', 'proxy_connect_timeout', 'proxy_read_timeout'],
    ['deploy/ha/balancer.cfg', 'timeout connect', 'timeout server'],
  ])('waits for slow answers, and has its own before merchants give up: %s', (file, connect, read) => {
    const settings = readFileSync(file, 'utf8');
    const msOf = (name: string): number =>
      Number(new RegExp(`^ *${name} (\\d+)ms;?$`, 'm').exec(settings)?.[1]);
    const apiAnswersWithinMs = 8_000;
    const merchantsWaitMs = 10_000;
    expect(msOf(read)).toBeGreaterThanOrEqual(apiAnswersWithinMs + 400);
    // One has vanished, and the next stands still.
    expect(msOf(connect) + msOf(read)).toBeLessThan(merchantsWaitMs - 500);
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

  it('sends an order to another one where the first is gone', async () => {
    expect((await fetch(`${beforeOneThatIsGone.url}/v1/orders`, ORDER)).status).toBe(200);
    expect(other.seen).toEqual(['POST /v1/orders']);
  });

  it('logs where a request went, and neither its query nor a secret in its path', async () => {
    await fetch(`${beforeOneThatIsGone.url}/v1/orders?user_id=555123456&limit=5`);
    await fetch(`${beforeOneThatIsGone.url}/v1/wallet/supplier-callbacks/?x=/supplier-callbacks/`);
    await fetch(`${beforeOneThatIsGone.url}/supplier-callbacks/acme-token-1/more?x=1`);
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
      expect.arrayContaining(['/v1/orders', '/v1/wallet/supplier-callbacks/…', '/supplier-callbacks/…']),
    );
    expect(lines.join('')).not.toMatch(/555123456|acme-token-1|x=/);
  });

  it('sends an order once, and what only reads again, where a replica breaks off', async () => {
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

  it('says before merchants give up that one stands still, and cuts off none that goes on answering', async () => {
    first.does = ({ url }, response) => {
      if (url !== '/long') return;
      response.write('0');
      let parts = 1;
      const timer = setInterval(() => {
        if (parts === 4) clearInterval(timer);
        response[parts === 4 ? 'end' : 'write'](String(parts++));
      }, 3_000);
    };
    const merchantsWaitMs = 10_000;
    const [order, long] = await Promise.all([
      fetch(`${router.url}/v1/orders`, { ...ORDER, signal: AbortSignal.timeout(merchantsWaitMs) }),
      fetch(`${router.url}/long`).then((response) => response.text()),
    ]);
    expect([order.status, order.headers.get('retry-after')]).toEqual([503, '1']);
    expect(first.seen.toSorted()).toEqual(['GET /long', 'POST /v1/orders']);
    expect([long, other.seen]).toEqual(['01234', []]);
  });
});
