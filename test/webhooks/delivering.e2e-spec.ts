import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { TestStack, type OrderBody } from '../support/stack.js';
import { Endpoints, Hooks, startWorker, type Arrival } from './support.js';

let stack: TestStack;
let endpoints: Endpoints;
let hooks: Hooks;
let sku: string;
let stopWorker: () => Promise<void>;

const TIMEOUT_MS = 800;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const worker = await startWorker(stack, {
    timing: { timeoutMs: TIMEOUT_MS },
    resolve: (hostname) => Promise.resolve(hostname === 'rebound.test' ? ['10.0.0.1'] : []),
  });
  stopWorker = () => worker.close();
  endpoints = await new Endpoints().listen();
  sku = await stack.product('10.00');
});

afterAll(async () => {
  await stopWorker();
  await stack.close();
  await endpoints.close();
});

beforeEach(async () => void (hooks = new Hooks(await stack.merchant())));

const order = (): Promise<OrderBody> => stack.order(hooks.merchant, [{ sku }]);

const verify = ({ body, headers }: Arrival, secret: string): unknown =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' }).verify(body, headers);

describe('a delivery', () => {
  it('carries the signature’s headers, the content type and the user agent, and no other of ours', async () => {
    const url = endpoints.add();
    await hooks.register(url);
    await order();
    const [arrival] = await endpoints.arrived(url);
    expect(arrival?.headerNames.sort()).toEqual(
      [
        'host', 'connection', 'content-length', 'content-type', 'user-agent',
        'webhook-id', 'webhook-signature', 'webhook-timestamp',
      ].sort(),
    ); // prettier-ignore
    expect(arrival?.headers['content-type']).toBe('application/json');
    expect(arrival?.headers['webhook-timestamp']).toMatch(/^\d{10}$/);
    expect(Math.abs(Number(arrival?.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(5);
  });

  it('has the event’s id as webhook-id, and the order as GET returns it', async () => {
    const url = endpoints.add();
    const { secret = '' } = await hooks.register(url);
    const { reference_id } = await order();
    const [arrival] = await endpoints.arrived(url);
    const body = JSON.parse(arrival?.body ?? '') as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['id', 'event', 'timestamp', 'data']);
    expect(body).toMatchObject({ id: arrival?.headers['webhook-id'], event: 'order.completed' });
    const { body: shown } = await hooks.merchant.client.get<OrderBody>(`/v1/orders/${reference_id}`);
    expect(body.data).toEqual(shown);
    expect(body.timestamp).toBe(Math.floor(Date.parse(shown.updated_at) / 1000));
    expect(arrival && verify(arrival, secret)).toEqual(body);
  });

  it('sends the same bytes under the same id to every endpoint and with every attempt, signed anew', async () => {
    const urls = [endpoints.answering(500, 204), endpoints.answering(204)] as const;
    const [first, second] = [await hooks.register(urls[0]), await hooks.register(urls[1])];
    await order();
    const arrivals = [...(await endpoints.arrived(urls[0], 2)), ...(await endpoints.arrived(urls[1]))];
    expect(new Set(arrivals.map(({ body }) => body)).size).toBe(1);
    expect(new Set(arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(arrivals.map(({ headers }) => headers['webhook-signature'])).size).toBe(3);
    arrivals.forEach((arrival, index) => verify(arrival, (index < 2 ? first : second).secret ?? ''));
    const times = arrivals.slice(0, 2).map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times[1]).toBeGreaterThan(times[0] ?? 0);
  });

  it.each([200, 201, 204, 299])('succeeds with %i', async (status) => {
    const url = endpoints.answering(status);
    const { id } = await hooks.register(url);
    await order();
    const { attempts, ...delivery } = await hooks.newestIs(id, 'succeeded');
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null });
    expect(attempts).toMatchObject([{ number: 1, response_status: status, error: null }]);
  });

  it.each([300, 301, 304, 307, 308, 400, 404, 500])(
    'fails with %i, and no redirect is followed',
    async (status) => {
      const elsewhere = endpoints.add();
      const url = endpoints.add((response) => void response.writeHead(status, { location: elsewhere }).end());
      const { id } = await hooks.register(url, { max_retries: 0 });
      await order();
      const { attempts } = await hooks.newestIs(id, 'failed');
      expect(attempts).toMatchObject([{ number: 1, response_status: status, error: null }]);
      expect(endpoints.at(elsewhere)).toEqual([]);
    },
  );
});

describe('retries', () => {
  it('are exactly max_retries, at least retry_delay after the end of the attempt before', async () => {
    const endedAtMs: number[] = [];
    const url = endpoints.add((response) => {
      setTimeout(() => response.writeHead(500).end(() => endedAtMs.push(performance.now())), 300);
    });
    const { id } = await hooks.register(url, { max_retries: 2 });
    await order();
    const { attempts } = await hooks.newestIs(id, 'failed');
    expect(attempts.map(({ number, response_status }) => [number, response_status])).toEqual([
      [1, 500],
      [2, 500],
      [3, 500],
    ]);
    const arrivals = endpoints.at(url);
    expect(arrivals).toHaveLength(3);
    for (const [index, ended] of endedAtMs.slice(0, 2).entries()) {
      expect((arrivals[index + 1]?.atMs ?? 0) - ended).toBeGreaterThanOrEqual(999);
    }
  });

  it('end with 410', async () => {
    const url = endpoints.answering(410);
    const { id } = await hooks.register(url, { max_retries: 10 });
    await order();
    const delivery = await hooks.newestIs(id, 'failed');
    expect(delivery.attempts).toMatchObject([{ response_status: 410 }]);
    expect(delivery.next_attempt_at).toBeNull();
  });

  it.each<[number, string, number]>([
    [429, '30', 30],
    [503, '7200', 3600],
    [503, '0', 2],
    [429, 'soon', 2],
    [500, '30', 2],
    [429, new Date(Date.now() + 120_000).toUTCString(), 120],
  ])('wait, after %i with Retry-After: %s, some %i seconds', async (status, header, seconds) => {
    const url = endpoints.add((response) => void response.writeHead(status, { 'retry-after': header }).end());
    const { id } = await hooks.register(url, { retry_delay: 2 });
    await order();
    const delivery = await hooks.newest(
      id,
      ({ attempt_count: count, next_attempt_at }) => count === 1 && next_attempt_at !== null,
    );
    const waitSeconds = (Date.parse(delivery.next_attempt_at ?? '') - Date.parse(delivery.updated_at)) / 1000;
    expect(waitSeconds).toBeLessThanOrEqual(seconds + 0.01);
    expect(waitSeconds).toBeGreaterThan(seconds === 120 ? 100 : seconds - 0.01);
  });

  it('follow the settings of the moment: a new URL and a new secret', async () => {
    const [broken, repaired] = [endpoints.answering(500), endpoints.add()];
    const { id } = await hooks.register(broken, { max_retries: 1 });
    await order();
    await hooks.newest(id, ({ attempt_count: count }) => count === 1);
    await hooks.patch(id, { url: repaired, secret: 'the secret of afterwards' });
    const [arrival] = await endpoints.arrived(repaired);
    expect(arrival && verify(arrival, 'the secret of afterwards')).toBeTruthy();
    await hooks.newestIs(id, 'succeeded');
    expect(endpoints.at(broken)).toHaveLength(1);
  });

  it('follow the settings of the moment: fewer retries, and more', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, { max_retries: 3 });
    await order();
    await hooks.newest(id, ({ attempt_count: count }) => count === 1);
    await hooks.patch(id, { max_retries: 0 });
    expect(await hooks.newestIs(id, 'failed')).toMatchObject({ attempt_count: 1 });
    expect(endpoints.at(url)).toHaveLength(1);

    const other = endpoints.answering(500);
    const more = await hooks.register(other, { max_retries: 1 });
    await order();
    await hooks.newest(more.id, ({ attempt_count: count }) => count === 1);
    await hooks.patch(more.id, { max_retries: 2 });
    expect((await hooks.newestIs(more.id, 'failed')).attempts).toHaveLength(3);
  });

  it('follow the settings of the moment: a shorter delay, and a longer one', async () => {
    const url = endpoints.answering(500, 204);
    const { id } = await hooks.register(url, { retry_delay: 3600 });
    await order();
    const waiting = await hooks.newest(
      id,
      ({ attempt_count: count, next_attempt_at }) => count === 1 && next_attempt_at !== null,
    );
    await hooks.patch(id, { retry_delay: 7200 });
    const later = await hooks.newest(id, () => true);
    const movedMs = Date.parse(later.next_attempt_at ?? '') - Date.parse(waiting.next_attempt_at ?? '');
    expect(Math.abs(movedMs - 3_600_000)).toBeLessThan(5);
    await hooks.patch(id, { retry_delay: 1 });
    expect(await hooks.newestIs(id, 'succeeded')).toMatchObject({ attempt_count: 2 });
  });
});

describe('endpoints that misbehave', () => {
  it('that never answer are left at the deadline', async () => {
    const { id } = await hooks.register(endpoints.silent(), { max_retries: 0 });
    await order();
    const [attempt] = (await hooks.newestIs(id, 'failed')).attempts;
    expect(attempt).toMatchObject({ response_status: null, error: 'timeout', response_body: null });
    expect(attempt?.duration_ms).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(attempt?.duration_ms).toBeLessThan(TIMEOUT_MS * 3);
  });

  it('that drip after a 200 have succeeded; after a 500 they have not', async () => {
    const dripping = (status: number): string =>
      endpoints.add((response) => {
        response.writeHead(status);
        const drip = setInterval(() => response.write('x'), 50);
        response.on('close', () => clearInterval(drip));
      });
    const good = await hooks.register(dripping(200));
    const bad = await hooks.register(dripping(500), { max_retries: 0 });
    await order();
    expect((await hooks.newestIs(good.id, 'succeeded')).attempts).toMatchObject([
      { response_status: 200, error: null },
    ]);
    expect((await hooks.newestIs(bad.id, 'failed')).attempts).toMatchObject([
      { response_status: 500, error: null },
    ]);
  });

  it('that answer without end are read a little and left', async () => {
    const url = endpoints.add((response) => {
      const more = (): void => {
        while (!response.destroyed && response.write('0123456789abcdef'.repeat(64)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const { id } = await hooks.register(url);
    await order();
    const [attempt] = (await hooks.newestIs(id, 'succeeded')).attempts;
    expect(attempt?.response_body).toBe('0123456789abcdef'.repeat(64));
    expect(attempt?.duration_ms).toBeLessThan(TIMEOUT_MS);
  });

  it('that answer with bytes that are no text leave text in the log', async () => {
    const url = endpoints.add((response) => {
      response.end(Buffer.from([0x61, 0x00, 0x62, 0xff, 0xc3, 0x28, 0xe0, 0xb8, 0x81, 0xe0, 0xb8]));
    });
    const { id } = await hooks.register(url);
    await order();
    const [attempt] = (await hooks.newestIs(id, 'succeeded')).attempts;
    expect(attempt?.response_body).toBe('a\ufffdb\ufffd\ufffd(ก');
  });

  it('that moved to a forbidden address are not connected to', async () => {
    const { id } = await hooks.register('http://rebound.test/hook', { max_retries: 0 });
    await order();
    expect((await hooks.newestIs(id, 'failed')).attempts).toMatchObject([{ error: 'refused_address' }]);
  });

  it('that have no address any more fail as dns', async () => {
    const { id } = await hooks.register('http://gone.test/hook', { max_retries: 0 });
    await order();
    expect((await hooks.newestIs(id, 'failed')).attempts).toMatchObject([{ error: 'dns' }]);
  });
});

describe('secrets', () => {
  it('that were replaced with an overlap sign beside the new one until it is over', async () => {
    const url = endpoints.add();
    const [old, current] = ['the secret of before', 'the secret of after'];
    const { id } = await hooks.register(url, { secret: old });
    await hooks.patch(id, { secret: current, rotation_overlap: 600 });
    await hooks.test(id);
    const [both] = await endpoints.arrived(url);
    expect(both?.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [old, current]) expect(both && verify(both, secret)).toBeTruthy();
    await stack.sql(`UPDATE webhooks SET previous_secret_expires_at = now() WHERE id = $1`, [id]);
    await hooks.test(id);
    const [, after] = await endpoints.arrived(url, 2);
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    expect(() => after && verify(after, old)).toThrow();
    expect(after && verify(after, current)).toBeTruthy();
  });

  it('that cannot be opened keep their deliveries waiting, and cost no attempt', async () => {
    const url = endpoints.add();
    const { id } = await hooks.register(url);
    await stack.sql(`UPDATE webhooks SET secret_sealed = '\\x00' || secret_sealed WHERE id = $1`, [id]);
    await order();
    const unsent = ({
      next_attempt_at,
      updated_at,
    }: {
      next_attempt_at: string | null;
      updated_at: string;
    }): boolean => next_attempt_at !== null && Date.parse(next_attempt_at) - Date.parse(updated_at) > 50_000;
    const delivery = await hooks.newest(id, unsent);
    expect(delivery).toMatchObject({ status: 'pending', attempt_count: 0, attempts: [] });
    expect(endpoints.at(url)).toEqual([]);
    await stack.sql(`UPDATE webhooks SET secret_sealed = substr(secret_sealed, 2) WHERE id = $1`, [id]);
    await stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1`, [id]);
    expect((await hooks.newestIs(id, 'succeeded')).attempts).toMatchObject([{ number: 1 }]);
  });
});

describe('a webhook that ends', () => {
  const waiting = async (id: number) =>
    hooks.newest(id, ({ attempt_count: count, next_attempt_at }) => count === 1 && next_attempt_at !== null);

  it('by becoming inactive: what waits is cancelled, and does not come back with it', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url);
    await order();
    await waiting(id);
    await hooks.patch(id, { status: 'inactive' });
    const cancelled = await hooks.newest(id, () => true);
    expect(cancelled).toMatchObject({ status: 'cancelled', next_attempt_at: null, attempt_count: 1 });
    await hooks.patch(id, { status: 'active' });
    await order();
    await endpoints.arrived(url, 2);
    expect((await hooks.deliveries(id)).map(({ status }) => status)).toEqual(['pending', 'cancelled']);
  });

  it('by being deleted: what waits is cancelled', async () => {
    const { id } = await hooks.register(endpoints.answering(500));
    await order();
    await waiting(id);
    await hooks.remove(id);
    const rows = await stack.sql('SELECT status FROM webhook_deliveries WHERE webhook_id = $1', [id]);
    expect(rows).toEqual([{ status: 'cancelled' }]);
  });

  it.each<[string, number, string]>([
    ['fails', 500, 'cancelled'],
    ['succeeds', 200, 'succeeded'],
  ])('while an attempt is in flight that %s', async (_how, status, outcome) => {
    let answer = (): void => {};
    const url = endpoints.add((response) => void (answer = () => response.writeHead(status).end()));
    const { id } = await hooks.register(url);
    await order();
    await endpoints.arrived(url);
    await hooks.patch(id, { status: 'inactive' });
    expect(await hooks.newest(id, () => true)).toMatchObject({ status: 'pending', next_attempt_at: null });
    answer();
    await hooks.newestIs(id, outcome);
    expect(endpoints.at(url)).toHaveLength(1);
  });

  it('leaves nothing to send for what a crash kept from being cancelled', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, { retry_delay: 3600 });
    await order();
    await waiting(id);
    // The process died between the change and the cancelling.
    await stack.sql(`UPDATE webhooks SET status = 'inactive' WHERE id = $1`, [id]);
    await stack.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1`, [id]);
    await hooks.newestIs(id, 'cancelled');
    expect(endpoints.at(url)).toHaveLength(1);
  });
});

it('the log is never behind: attempt_count is the number of attempts that are shown', async () => {
  const url = endpoints.answering(500, 500, 200);
  const { id } = await hooks.register(url);
  await order();
  await eventually(
    async () => {
      const delivery = await hooks.newest(id, () => true);
      expect(delivery.attempts).toHaveLength(delivery.attempt_count);
      return delivery.status;
    },
    (status) => status === 'succeeded',
  );
});
