import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('10.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const orderOf = (members: object = {}): object => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  items: [{ sku }],
  ...members,
});

const HOOK = 'http://127.0.0.1:9/hook';

const conditions: [condition: string, status: number, code: string, ask: () => Promise<Answer<unknown>>][] = [
  [
    'missing required order field',
    400,
    'BAD_REQUEST',
    () => merchant.client.post('/v1/orders', orderOf({ reference_id: undefined })),
  ],
  [
    'invalid webhook URL',
    400,
    'BAD_REQUEST',
    () => merchant.client.post('/v1/merchant-webhooks', { url: 'not a url' }),
  ],
  [
    'secret shorter than 16 characters',
    400,
    'BAD_REQUEST',
    () => merchant.client.post('/v1/merchant-webhooks', { url: HOOK, secret: 'x'.repeat(15) }),
  ],
  ['API key missing', 401, 'UNAUTHORIZED', () => new Client(stack.url, null).get('/v1/orders/x')],
  ['API key invalid', 401, 'UNAUTHORIZED', () => new Client(stack.url, 'wrong').get('/v1/orders/x')],
  ['unknown reference_id', 404, 'NOT_FOUND', () => merchant.client.get('/v1/orders/unknown')],
  ['unknown webhook', 404, 'NOT_FOUND', () => merchant.client.get('/v1/merchant-webhooks/999999')],
  ['wallet balance insufficient', 503, 'SERVICE_UNAVAILABLE', () => merchant.client.post('/v1/orders', orderOf())],
];

describe('7 Errors', () => {
  it.each(conditions)('%s: %i %s, with status, code and message', async (_condition, status, code, ask) => {
    const answer = await ask();
    expectError(answer, status, code);
    expect(answer.body).toMatchObject({
      status: expect.any(Number),
      code: expect.any(String),
      message: expect.any(String),
    });
  });
});

describe('8 Limits', () => {
  const post = (body: object): Promise<Answer<{ id: number; max_retries: number; retry_delay: number }>> =>
    merchant.client.post('/v1/merchant-webhooks', { url: HOOK, ...body });

  it.each([
    [15, 400],
    [16, 201],
    [255, 201],
    [256, 400],
  ])('POST of a webhook with a secret of %i characters: %i', async (length, status) => {
    expect((await post({ secret: 'x'.repeat(length) })).status).toBe(status);
  });

  it.each([
    [15, 400],
    [16, 200],
    [255, 200],
    [256, 400],
  ])('PATCH of a webhook with a secret of %i characters: %i', async (length, status) => {
    const { id } = (await post({})).body;
    const answer = await merchant.client.patch(`/v1/merchant-webhooks/${id}`, { secret: 'x'.repeat(length) });
    expect(answer.status).toBe(status);
  });

  it('3 retries and 60 seconds between them on created webhooks', async () => {
    expect((await post({})).body).toMatchObject({ max_retries: 3, retry_delay: 60 });
  });
});

describe('9 Versioning', () => {
  it.each<[method: string, path: string]>([
    ['POST', '/v1/orders'],
    ['GET', '/v1/orders/x'],
    ['GET', '/v1/merchant-webhooks'],
    ['POST', '/v1/merchant-webhooks'],
    ['GET', '/v1/merchant-webhooks/1'],
    ['PATCH', '/v1/merchant-webhooks/1'],
    ['DELETE', '/v1/merchant-webhooks/1'],
  ])('%s %s exists with its version, and not without', async (method, path) => {
    const body = method === 'POST' || method === 'PATCH' ? {} : undefined;
    const served = await merchant.client.send<{ message: string }>(method, path, body);
    expect(served.body.message ?? '').not.toMatch(/^There is no (GET|POST|PATCH|DELETE)/);
    expectError(await merchant.client.send(method, path.replace('/v1', ''), body), 404, 'NOT_FOUND');
  });
});
