import type { INestApplication } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError, expectPlaced } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('1000.00');
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const order = (): { reference_id: string; user_id: string; items: { sku: string }[] } => ({
  reference_id: unique('order'),
  user_id: 'player-1',
  items: [{ sku }],
});

describe('1 Errors: 503 SERVICE_UNAVAILABLE while PostgreSQL is unreachable', () => {
  let wire: Wire;
  let api: INestApplication;
  let client: Client;

  beforeAll(async () => {
    wire = await new Wire(stack.config.DATABASE_URL).listen();
    api = await stack.startApi({ DATABASE_URL: wire.url });
    client = new Client(stack.urlOf(api), merchant.key);
    await api.get(SchemaService).whenReady();
  });

  afterAll(async () => {
    await api.close();
    await wire.close();
  });

  const back = async (): Promise<void> => {
    wire.restore();
    await eventually(
      () => client.get('/v1/wallet'),
      ({ status }) => status === 200,
    );
  };

  it('with Retry-After, and the order can be placed once it is back', async () => {
    const request = order();
    expect((await client.get('/v1/wallet')).status).toBe(200);
    wire.cut();
    const answer = await client.once.post('/v1/orders', request);
    const { details } = expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    expect(details).toBeUndefined();
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expectError(await client.once.get(`/v1/orders/${request.reference_id}`), 503, 'SERVICE_UNAVAILABLE');
    await back();
    expectPlaced(await client.post<OrderBody>('/v1/orders', request));
  });

  it('even if the order was committed: the repeated request finds it, charged once', async () => {
    const request = order();
    const before = Number((await stack.wallet(merchant)).available);
    let isPlaced = false;
    const committed = wire.cutAfterSending((bytes) => {
      // Not the commit of something else that the process writes now and then.
      isPlaced ||= bytes.includes(request.reference_id);
      return isPlaced && bytes.includes('COMMIT\0');
    });
    const answer = await client.once.post('/v1/orders', request);
    await committed;
    expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    await back();
    const again = await client.post<OrderBody>('/v1/orders', request);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(Number((await stack.wallet(merchant)).available)).toBe(before - 35);
  });

  it('when the connection is lost before the commit: the repeated request places the order', async () => {
    const request = order();
    const before = Number((await stack.wallet(merchant)).available);
    const begun = wire.cutAfterSending((bytes) => bytes.includes('wallets.lock_many'));
    const answer = await client.once.post('/v1/orders', request);
    await begun;
    expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    await back();
    expectPlaced(await client.post<OrderBody>('/v1/orders', request));
    expect(Number((await stack.wallet(merchant)).available)).toBe(before - 35);
  });

  it('a key with the wrong form still gets 401', async () => {
    wire.cut();
    expectError(await new Client(stack.urlOf(api), 'no key').get('/v1/wallet'), 401, 'UNAUTHORIZED');
    await back();
  });

  it('an order that another process placed meanwhile is complete', async () => {
    const request = order();
    wire.cut();
    const placed = await merchant.client.post<OrderBody>('/v1/orders', request);
    await back();
    const found = await client.get<OrderBody>(`/v1/orders/${request.reference_id}`);
    expect(found.body.order_number).toBe(placed.body.order_number);
  });
});

describe('1 Errors: Redis being down is never a reason to refuse an order', () => {
  let api: INestApplication;
  let client: Client;

  beforeAll(async () => {
    // Nothing listens there.
    api = await stack.startApi({ REDIS_URL: 'redis://127.0.0.1:1' });
    client = new Client(stack.urlOf(api), merchant.key);
    await api.get(SchemaService).whenReady();
  });

  afterAll(() => api.close());

  it('orders are accepted, and a worker finds them in PostgreSQL and fulfils them', async () => {
    const answers: Answer<OrderBody>[] = [];
    for (let i = 0; i < 5; i++) answers.push(await client.post<OrderBody>('/v1/orders', order()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    for (const { body } of answers) await stack.orderWith(merchant, body.reference_id, 'completed');
  });
});
