import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeysService } from '../../src/auth/api-keys.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { Client } from '../support/http.js';
import { walk, type Page } from '../support/pages.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let sku: string;
/** Two merchants with everything that a merchant can have, and with the same names wherever merchants choose them. */
let mine: TestMerchant;
let theirs: TestMerchant;
let theirOrder: OrderBody;
let theirWebhook: { id: number };
let theirDelivery: { id: number };

const REFERENCE = 'the-same-reference';

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  sku = await stack.product('35.00');
  [mine, theirs] = await Promise.all([stack.merchant('100.00'), stack.merchant('5000.00')]);
  for (const merchant of [mine, theirs]) {
    await merchant.client.post('/v1/merchant-webhooks', { url: receiver.url(`/${merchant.id}`) });
    const request = { reference_id: REFERENCE, user_id: `player-of-${merchant.id}`, items: [{ sku }] };
    expect((await merchant.client.post('/v1/orders', request)).status).toBe(200);
  }
  theirOrder = await stack.orderWith(theirs, REFERENCE, 'completed');
  await stack.orderWith(mine, REFERENCE, 'completed');
  [theirWebhook] = (await theirs.client.get<[{ id: number }]>('/v1/merchant-webhooks')).body;
  const path = `/v1/merchant-webhooks/${theirWebhook.id}/deliveries`;
  [theirDelivery] = (await theirs.client.get<{ data: [{ id: number }] }>(path)).body.data;
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

describe('1 Errors: the rows of another merchant are unknown', () => {
  it('an order: each merchant sees its own under the same reference', async () => {
    const found = await mine.client.get<OrderBody>(`/v1/orders/${REFERENCE}`);
    expect(found.body.user_id).toBe(`player-of-${mine.id}`);
    expect(found.body.order_number).not.toBe(theirOrder.order_number);
  });

  it('an order under a reference that only the other merchant has', async () => {
    const { reference_id } = await stack.order(theirs, [{ sku }]);
    const foreign = await mine.client.get(`/v1/orders/${reference_id}`);
    const unknown = await mine.client.get(`/v1/orders/${unique('unknown')}`);
    expectError(foreign, 404, 'NOT_FOUND');
    expect(foreign.body).toEqual(unknown.body);
  });

  it.each<[method: string, rest: string, body: object | undefined]>([
    ['GET', '', undefined],
    ['PATCH', '', { status: 'inactive' }],
    ['DELETE', '', undefined],
    ['GET', '/deliveries', undefined],
    ['POST', '/test', {}],
  ])('a webhook: %s /v1/merchant-webhooks/{id}%s', async (method, rest, body) => {
    const of = (id: number): string => `/v1/merchant-webhooks/${id}${rest}`;
    const foreign = await mine.client.send<object>(method, of(theirWebhook.id), body);
    expectError(foreign, 404, 'NOT_FOUND');
    expect(foreign.body).toEqual((await mine.client.send<object>(method, of(999_999), body)).body);
    const { body: untouched } = await theirs.client.get<{ status: string }>(of(theirWebhook.id).replace(rest, ''));
    expect(untouched.status).toBe('active');
  });

  it('a delivery of the other’s webhook, also in the path of the merchant’s own webhook', async () => {
    const [{ id: ownId }] = (await mine.client.get<[{ id: number }]>('/v1/merchant-webhooks')).body;
    for (const webhookId of [theirWebhook.id, ownId]) {
      const path = `/v1/merchant-webhooks/${webhookId}/deliveries/${theirDelivery.id}`;
      expectError(await mine.client.get(path), 404, 'NOT_FOUND');
      expectError(await mine.client.post(`${path}/retry`), 404, 'NOT_FOUND');
    }
  });
});

describe('5 Lists show the merchant’s own', () => {
  it('orders', async () => {
    const orders = await walk<OrderBody>(mine.client, '/v1/orders', { limit: '1' });
    expect(orders.map(({ user_id }) => user_id)).toEqual([`player-of-${mine.id}`]);
  });

  it('webhooks', async () => {
    const { body } = await mine.client.get<{ url: string }[]>('/v1/merchant-webhooks');
    expect(body.map(({ url }) => url)).toEqual([receiver.url(`/${mine.id}`)]);
  });

  it('the wallet and its statement', async () => {
    expect(await stack.wallet(mine)).toEqual({ available: '65.00', held: '0.00' });
    const { body } = await mine.client.get<Page<{ amount: string }>>('/v1/wallet/entries');
    expect(body.data.map(({ amount }) => amount)).toEqual(['-35.00', '100.00']);
  });

  it('for every key of the merchant alike', async () => {
    const { key } = await stack.api.get(ApiKeysService).issue(mine.id);
    const [one, other] = [mine.client, new Client(stack.url, key)];
    for (const path of ['/v1/orders', '/v1/merchant-webhooks', '/v1/wallet', '/v1/wallet/entries']) {
      expect((await other.get(path)).body).toEqual((await one.get(path)).body);
    }
  });
});

describe('6 Events reach the merchant’s own webhooks', () => {
  it('and carry its own orders', () => {
    for (const merchant of [mine, theirs]) {
      const users = receiver.at(`/${merchant.id}`).map(({ body }) => {
        const { data } = JSON.parse(body) as { data: { user_id: string; reference_id: string } };
        return data.reference_id === REFERENCE ? data.user_id : `player-of-${merchant.id}`;
      });
      expect(new Set(users)).toEqual(new Set([`player-of-${merchant.id}`]));
    }
  });
});

describe('2 Money is the merchant’s own', () => {
  it('an order that a merchant cannot pay takes no money from the other merchant', async () => {
    const before = await stack.wallet(theirs);
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku, quantity: 2 }] };
    expectError(await mine.client.post('/v1/orders', request), 503, 'SERVICE_UNAVAILABLE', /65\.00/);
    expect(await stack.wallet(theirs)).toEqual(before);
  });
});
