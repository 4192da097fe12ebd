import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { eventually } from '../support/eventually.js';
import { expectSince } from '../support/expectations.js';
import type { OrderBody } from '../support/stack.js';
import { Scene } from './scene.js';
import type { Arrival, Delivery, Endpoints, Hooks } from './support.js';

/** A date two minutes after the time of the answer. */
const IN_TWO_MINUTES = 'a date in two minutes';

let scene: Scene;
let hooks: Hooks;
let endpoints: Endpoints;

beforeAll(async () => {
  scene = await Scene.start();
  endpoints = scene.endpoints;
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.newMerchant();
  hooks = scene.hooks;
});

const verify = ({ body, headers }: Arrival, secret: string): unknown =>
  new Webhook(secret, secret.startsWith('whsec_') ? {} : { format: 'raw' }).verify(body, headers);

describe('a delivery', () => {
  it('has the headers of the signature, the content type and the user agent, and no others of ours', async () => {
    const url = endpoints.add();
    await hooks.register(url);
    const beforeMs = Date.now();
    await scene.order();
    const [arrival] = await endpoints.arrived(url);
    expect(arrival?.headerNames.sort()).toEqual(
      [
        'host',
        'connection',
        'content-length',
        'content-type',
        'user-agent',
        'webhook-id',
        'webhook-signature',
        'webhook-timestamp',
      ].sort(),
    );
    expect(arrival?.headers['content-type']).toBe('application/json');
    expect(arrival?.headers['webhook-timestamp']).toMatch(/^\d{10}$/);
    expectSince(beforeMs, Number(arrival?.headers['webhook-timestamp']) * 1_000, 1_000);
  });

  it('has the event’s id as webhook-id, and the order as GET returns it', async () => {
    const url = endpoints.add();
    const { secret = '' } = await hooks.register(url);
    const { reference_id } = await scene.order();
    const [arrival] = await endpoints.arrived(url);
    const body = JSON.parse(arrival?.body ?? '') as Record<string, unknown>;
    expect(Object.keys(body)).toEqual(['id', 'event', 'timestamp', 'data']);
    expect(body).toMatchObject({ id: arrival?.headers['webhook-id'], event: 'order.completed' });
    const { body: shown } = await hooks.merchant.client.get<OrderBody>(`/v1/orders/${reference_id}`);
    expect(body.data).toEqual(shown);
    expect(body.timestamp).toBe(Math.floor(Date.parse(shown.updated_at) / 1000));
    expect(arrival && verify(arrival, secret)).toEqual(body);
  });

  it('sends the same bytes under the same id to every endpoint and at every attempt, with a new signature', async () => {
    const urls = [endpoints.answering(500, 204), endpoints.answering(204)] as const;
    const [first, second] = [await hooks.register(urls[0]), await hooks.register(urls[1])];
    await scene.order();
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
    await scene.order();
    const { attempts, ...delivery } = await hooks.newestIs(id, 'succeeded');
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null });
    expect(attempts).toMatchObject([{ number: 1, response_status: status, error: null }]);
  });

  it.each([300, 301, 304, 307, 308, 400, 404, 500])('fails with %i, and no redirect is followed', async (status) => {
    const elsewhere = endpoints.add();
    const url = endpoints.add((response) => void response.writeHead(status, { location: elsewhere }).end());
    const { id } = await hooks.register(url, { max_retries: 0 });
    await scene.order();
    const { attempts } = await hooks.newestIs(id, 'failed');
    expect(attempts).toMatchObject([{ number: 1, response_status: status, error: null }]);
    expect(endpoints.at(elsewhere)).toEqual([]);
  });
});

/** Whether a delivery waits for its second attempt. */
const hasFailedOnce = ({ attempt_count: count, next_attempt_at }: Delivery): boolean =>
  count === 1 && next_attempt_at !== null;

describe('retries', () => {
  it('are exactly max_retries, at least retry_delay after the end of the attempt before', async () => {
    const endedAtMs: number[] = [];
    const url = endpoints.add((response) => {
      setTimeout(() => response.writeHead(500).end(() => endedAtMs.push(performance.now())), 300);
    });
    const { id } = await hooks.register(url, { max_retries: 2 });
    await scene.order();
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
    await scene.order();
    const delivery = await hooks.newestIs(id, 'failed');
    expect(delivery.attempts).toMatchObject([{ response_status: 410 }]);
    expect(delivery.next_attempt_at).toBeNull();
  });

  it.each<[number, string, number]>([
    [429, '30', 30],
    [503, '7200', 3600],
    [503, '0', 25],
    [429, 'soon', 25],
    [500, '30', 25],
    [429, IN_TWO_MINUTES, 120],
  ])('wait, after %i with Retry-After: %s, some %i seconds', async (status, value, seconds) => {
    const url = endpoints.add((response) => {
      const header = value === IN_TWO_MINUTES ? new Date(Date.now() + 120_000).toUTCString() : value;
      response.writeHead(status, { 'retry-after': header }).end();
    });
    const { id } = await hooks.register(url, { retry_delay: 25 });
    await scene.order();
    const delivery = await hooks.newest(id, hasFailedOnce);
    const waitSeconds = (Date.parse(delivery.next_attempt_at ?? '') - Date.parse(delivery.updated_at)) / 1000;
    expect(waitSeconds).toBeLessThanOrEqual(seconds + 0.01);
    expect(waitSeconds).toBeGreaterThan(seconds === 120 ? 100 : seconds - 0.01);
  });

  it('use the current settings: a new URL and a new secret', async () => {
    const [broken, repaired] = [endpoints.answering(500), endpoints.add()];
    const { id } = await hooks.register(broken, { max_retries: 1, retry_delay: 3600 });
    await scene.order();
    await hooks.newest(id, hasFailedOnce);
    await hooks.patch(id, { url: repaired, secret: 'the secret of afterwards', retry_delay: 1 });
    const [arrival] = await endpoints.arrived(repaired);
    expect(arrival && verify(arrival, 'the secret of afterwards')).toBeTruthy();
    await hooks.newestIs(id, 'succeeded');
    expect(endpoints.at(broken)).toHaveLength(1);
  });

  it('use the current settings: fewer retries, and more', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, { max_retries: 3, retry_delay: 3600 });
    await scene.order();
    await hooks.newest(id, hasFailedOnce);
    await hooks.patch(id, { max_retries: 0, retry_delay: 1 });
    expect(await hooks.newestIs(id, 'failed')).toMatchObject({ attempt_count: 1 });
    expect(endpoints.at(url)).toHaveLength(1);

    const other = endpoints.answering(500);
    const more = await hooks.register(other, { max_retries: 1, retry_delay: 3600 });
    await scene.order();
    await hooks.newest(more.id, hasFailedOnce);
    await hooks.patch(more.id, { max_retries: 2, retry_delay: 1 });
    expect((await hooks.newestIs(more.id, 'failed')).attempts).toHaveLength(3);
  });

  it('use the current settings: a shorter delay, and a longer one', async () => {
    const url = endpoints.answering(500, 204);
    const { id } = await hooks.register(url, { retry_delay: 3600 });
    await scene.order();
    const waiting = await hooks.newest(id, hasFailedOnce);
    await hooks.patch(id, { retry_delay: 7200 });
    const later = await hooks.newest(id, ({ next_attempt_at }) => next_attempt_at !== waiting.next_attempt_at);
    const movedMs = Date.parse(later.next_attempt_at ?? '') - Date.parse(waiting.next_attempt_at ?? '');
    expect(Math.abs(movedMs - 3_600_000)).toBeLessThan(5);
    await hooks.patch(id, { retry_delay: 1 });
    expect(await hooks.newestIs(id, 'succeeded')).toMatchObject({ attempt_count: 2 });
  });
});

it('are all in the log: attempt_count equals the number of shown attempts', async () => {
  const url = endpoints.answering(500, 500, 200);
  const { id } = await hooks.register(url);
  await scene.order();
  await eventually(
    async () => {
      const delivery = await hooks.newest(id, () => true);
      expect(delivery.attempts).toHaveLength(delivery.attempt_count);
      return delivery.status;
    },
    (status) => status === 'succeeded',
  );
});
