import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { expectError, expectRefusedField, MOMENT } from '../support/expectations.js';
import type { OrderBody } from '../support/stack.js';
import { Scene } from './scene.js';
import { Hooks, type Delivery, type Endpoints } from './support.js';

const PATH = '/v1/merchant-webhooks';
const EVENT_ID = /^evt_[0-9A-Za-z]{22}$/;

let scene: Scene;
let hooks: Hooks;
let endpoints: Endpoints;

beforeAll(async () => {
  // An attempt in flight lasts until the test ends it.
  scene = await Scene.start({ timing: { timeoutMs: 120_000 } });
  endpoints = scene.endpoints;
});

afterAll(() => scene.close());

beforeEach(async () => {
  await scene.newMerchant();
  hooks = scene.hooks;
});

describe('a delivery', () => {
  it('has exactly the contract’s members, in a list, alone, and with its attempts', async () => {
    const { id } = await hooks.register(endpoints.answering(500, 200));
    const { reference_id } = await scene.order();
    const detail = await hooks.newestIs(id, 'succeeded');
    const { attempts, ...delivery } = detail;
    expect(delivery).toStrictEqual({
      id: expect.any(Number),
      webhook_id: id,
      event_id: expect.stringMatching(EVENT_ID),
      event: 'order.completed',
      reference_id,
      status: 'succeeded',
      attempt_count: 2,
      next_attempt_at: null,
      created_at: expect.stringMatching(MOMENT),
      updated_at: expect.stringMatching(MOMENT),
    });
    const attempt = {
      started_at: expect.stringMatching(MOMENT),
      duration_ms: expect.any(Number),
      error: null,
      response_body: 'as scripted',
    };
    expect(attempts).toStrictEqual([
      { number: 1, response_status: 500, ...attempt },
      { number: 2, response_status: 200, ...attempt },
    ]);
    expect(await hooks.deliveries(id)).toStrictEqual([delivery]);
  });

  it('that waits has the time of its next attempt', async () => {
    const { id } = await hooks.register(endpoints.answering(500), { retry_delay: 60 });
    await scene.order();
    const waiting = await hooks.newest(
      id,
      ({ next_attempt_at, attempt_count: n }) => n === 1 && next_attempt_at !== null,
    );
    expect(waiting).toMatchObject({ status: 'pending', next_attempt_at: expect.stringMatching(MOMENT) });
  });

  it.each(['abc', '1.5', '1e3'])('400 for the id %s', async (deliveryId) => {
    const { id } = await hooks.register(endpoints.add());
    const { client } = hooks.merchant;
    expectError(await client.get(`${PATH}/${id}/deliveries/${deliveryId}`), 400, 'BAD_REQUEST');
    expectError(await client.post(`${PATH}/${id}/deliveries/${deliveryId}/retry`), 400, 'BAD_REQUEST');
    expectError(await client.get(`${PATH}/${deliveryId}/deliveries`), 400, 'BAD_REQUEST');
    expectError(await client.post(`${PATH}/${deliveryId}/test`), 400, 'BAD_REQUEST');
  });

  it('404 for what does not exist, or belongs to another webhook or merchant', async () => {
    const [webhook, sibling] = [await hooks.register(endpoints.add()), await hooks.register(endpoints.add())];
    const delivery = (await hooks.test(webhook.id)).body;
    const stranger = new Hooks(await scene.stack.merchant('0.00'));
    const { client } = hooks.merchant;
    for (const id of ['0', '-1', '999999999', '9223372036854775808', '9'.repeat(60)]) {
      expectError(await client.get(`${PATH}/${webhook.id}/deliveries/${id}`), 404, 'NOT_FOUND');
      expectError(await client.post(`${PATH}/${webhook.id}/deliveries/${id}/retry`), 404, 'NOT_FOUND');
      expectError(await client.get(`${PATH}/${id}/deliveries`), 404, 'NOT_FOUND');
      expectError(await client.post(`${PATH}/${id}/test`), 404, 'NOT_FOUND');
    }
    const elsewhere = { ...delivery, webhook_id: sibling.id };
    for (const [asking, wanted] of [
      [hooks, elsewhere],
      [stranger, delivery],
    ] as const) {
      const path = `${PATH}/${wanted.webhook_id}/deliveries/${wanted.id}`;
      expectError(await asking.merchant.client.get(path), 404, 'NOT_FOUND');
      expectError(await asking.retry(wanted), 404, 'NOT_FOUND');
    }
    expectError(await stranger.page(webhook.id), 404, 'NOT_FOUND');
    expectError(await stranger.test(webhook.id), 404, 'NOT_FOUND');
    await hooks.remove(webhook.id);
    expectError(await hooks.page(webhook.id), 404, 'NOT_FOUND');
    expectError(await hooks.retry(delivery), 404, 'NOT_FOUND');
  });
});

describe('the list', () => {
  it('has pages, newest first, with each delivery once', async () => {
    const { id } = await hooks.register(endpoints.add());
    for (let count = 0; count < 7; count++) await hooks.test(id);
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body } = await hooks.page(id, query);
      seen.push(...body.data.map((delivery) => delivery.id));
      cursor = body.next_cursor;
    }
    expect(seen).toHaveLength(7);
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a));
  });

  it('is filtered by status and event', async () => {
    const { id } = await hooks.register(endpoints.answering(200, 500), { max_retries: 0 });
    await scene.order();
    await hooks.newestIs(id, 'succeeded');
    await hooks.test(id);
    await hooks.newestIs(id, 'failed');
    const events = async (query: string): Promise<string[]> =>
      (await hooks.deliveries(id, query)).map(({ event }) => event);
    expect(await events('?status=failed')).toEqual(['webhook.test']);
    expect(await events('?status=succeeded')).toEqual(['order.completed']);
    expect(await events('?status=pending')).toEqual([]);
    expect(await events('?status=cancelled')).toEqual([]);
    expect(await events('?event=order.completed')).toEqual(['order.completed']);
    expect(await events('?event=order.failed')).toEqual([]);
    expect(await events('?event=webhook.test&status=failed')).toEqual(['webhook.test']);
    expect(await events('?event=webhook.test&status=succeeded')).toEqual([]);
  });

  it.each<[string, string]>([
    ['status=lost', 'status'],
    ['status=', 'status'],
    ['status=failed&status=failed', 'status'],
    ['event=order.created', 'event'],
    ['event=webhook.test&event=webhook.test', 'event'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=abc', 'cursor'],
    ['cursor=', 'cursor'],
    ['page=2', 'page'],
  ])('400 for ?%s', async (query, field) => {
    const { id } = await hooks.register(endpoints.add());
    expectRefusedField(await hooks.page(id, `?${query}`), field);
  });
});

describe('POST …/test', () => {
  it('sends one signed webhook.test with a sample order', async () => {
    const url = endpoints.add();
    const { id, secret = '' } = await hooks.register(url, { events: ['order.failed'] });
    const { status, body } = await hooks.test(id);
    expect(status).toBe(202);
    expect(body).toStrictEqual({
      id: expect.any(Number),
      webhook_id: id,
      event_id: expect.stringMatching(EVENT_ID),
      event: 'webhook.test',
      reference_id: null,
      status: 'pending',
      attempt_count: 0,
      next_attempt_at: expect.stringMatching(MOMENT),
      created_at: expect.stringMatching(MOMENT),
      updated_at: expect.stringMatching(MOMENT),
    });
    const [arrival] = await endpoints.arrived(url);
    const event = JSON.parse(arrival?.body ?? '') as { id: string; event: string; data: OrderBody };
    expect(event).toMatchObject({ id: body.event_id, event: 'webhook.test' });
    expect(arrival?.headers['webhook-id']).toBe(body.event_id);
    expect(arrival && new Webhook(secret).verify(arrival.body, arrival.headers)).toEqual(event);
    await hooks.newestIs(id, 'succeeded');
    const { body: real } = await hooks.merchant.client.get<OrderBody>(
      `/v1/orders/${(await scene.order()).reference_id}`,
    );
    expect(Object.keys(event.data)).toEqual(Object.keys(real));
    expect(Object.keys(event.data.items[0] ?? {})).toEqual(Object.keys(real.items[0] ?? {}));
  });

  it('reaches an inactive webhook too, and is never retried', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, { max_retries: 3 });
    await hooks.patch(id, { status: 'inactive' });
    expect((await hooks.test(id)).status).toBe(202);
    expect((await hooks.newestIs(id, 'failed')).attempts).toHaveLength(1);
    expect(endpoints.at(url)).toHaveLength(1);
  });

  it('accepts only an empty object as body', async () => {
    const { id } = await hooks.register(endpoints.add());
    const path = `${PATH}/${id}/test`;
    const { client } = hooks.merchant;
    expect((await client.post(path)).status).toBe(202);
    expect((await client.post(path, {})).status).toBe(202);
    expectRefusedField(await client.post(path, { event: 'order.completed' }), 'event');
    expectError(await client.post(path, []), 400, 'BAD_REQUEST');
    expectError(await client.post(path, 'null'), 400, 'BAD_REQUEST');
    expectError(await client.post(path, '{'), 400, 'BAD_REQUEST');
  });
});

describe('POST …/retry', () => {
  const failed = async (url: string, members: object = {}): Promise<Delivery> => {
    const { id } = await hooks.register(url, { max_retries: 0, ...members });
    await scene.order();
    const { attempts: _, ...delivery } = await hooks.newestIs(id, 'failed');
    return delivery;
  };

  it('makes one more attempt at once, with the same event and bytes', async () => {
    const url = endpoints.answering(500, 204);
    const delivery = await failed(url);
    const { status, body } = await hooks.retry(delivery);
    expect(status).toBe(202);
    expect(body).toStrictEqual({
      ...delivery,
      status: 'pending',
      next_attempt_at: expect.stringMatching(MOMENT),
      updated_at: expect.stringMatching(MOMENT),
    });
    const again = await hooks.newestIs(delivery.webhook_id, 'succeeded');
    expect(again.attempts.map(({ number, response_status }) => [number, response_status])).toEqual([
      [1, 500],
      [2, 204],
    ]);
    const [first, second] = endpoints.at(url);
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  });

  it('causes no automatic retry', async () => {
    const url = endpoints.answering(500);
    const { id } = await hooks.register(url, { max_retries: 5, retry_delay: 60 });
    await scene.order();
    const waiting = await hooks.newest(
      id,
      ({ attempt_count: n, next_attempt_at }) => n === 1 && next_attempt_at !== null,
    );
    expect((await hooks.retry(waiting, {})).status).toBe(202);
    const ended = await hooks.newestIs(id, 'failed');
    expect(ended).toMatchObject({ attempt_count: 2, next_attempt_at: null });
    expect(endpoints.at(url)).toHaveLength(2);
  });

  it('repeats a delivery that succeeded, was cancelled, or was a test', async () => {
    const url = endpoints.answering(204, 500, 204);
    const { id } = await hooks.register(url, { retry_delay: 60 });
    const test = (await hooks.test(id)).body;
    await hooks.newestIs(id, 'succeeded');
    expect((await hooks.retry(test)).status).toBe(202);
    await hooks.newestIs(id, 'failed');
    expect((await hooks.retry(test)).status).toBe(202);
    expect(await hooks.newestIs(id, 'succeeded')).toMatchObject({ attempt_count: 3 });

    const failing = await hooks.register(endpoints.answering(500, 204), { retry_delay: 60 });
    await scene.order();
    const waiting = await hooks.newest(
      failing.id,
      ({ next_attempt_at, attempt_count: n }) => n === 1 && next_attempt_at !== null,
    );
    await hooks.patch(failing.id, { status: 'inactive' });
    await hooks.newestIs(failing.id, 'cancelled');
    await hooks.patch(failing.id, { status: 'active' });
    expect((await hooks.retry(waiting)).status).toBe(202);
    await hooks.newestIs(failing.id, 'succeeded');
  });

  it('409 while the webhook is inactive', async () => {
    const delivery = await failed(endpoints.answering(500));
    await hooks.patch(delivery.webhook_id, { status: 'inactive' });
    expectError(await hooks.retry(delivery), 409, 'CONFLICT', /inactive/);
    expect(await hooks.newest(delivery.webhook_id, () => true)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
    });
  });

  it('409 while an attempt is in flight', async () => {
    let answer = (): void => {};
    const url = endpoints.add((response) => void (answer = () => response.writeHead(204).end()));
    const { id } = await hooks.register(url);
    const delivery = (await hooks.test(id)).body;
    await endpoints.arrived(url);
    expectError(await hooks.retry(delivery), 409, 'CONFLICT', /in flight/);
    answer();
    await hooks.newestIs(id, 'succeeded');
    expect(endpoints.at(url)).toHaveLength(1);
  });

  it('400 for a body with members', async () => {
    const delivery = await failed(endpoints.answering(500));
    expectRefusedField(await hooks.retry(delivery, { force: true }), 'force');
  });
});
