import type { INestApplication } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { CONFIG, CONNECT_TIMEOUT_MS, type Config } from '../../src/core/config.js';
import { limited } from '../../src/database/connections.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { miniQr } from '../../src/deposits/slips/mini-qr.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { expectError } from '../support/expectations.js';
import { Client, type Answer } from '../support/http.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { Wire } from '../support/wire.js';

/** How long clients wait for an answer. */
const CLIENTS_WAIT_MS = 10_000;
/** Requests to each route at a time. */
const AT_ONCE = 3;

let stack: TestStack;
let merchant: TestMerchant;
let wire: Wire;
/** An API whose PostgreSQL can fall silent. */
let api: INestApplication;
let client: Client;
let ids: Record<string, string>;

interface Route {
  method: string;
  path: string;
}

beforeAll(async () => {
  stack = await TestStack.start({ DEPOSIT_CREATE_PER_MINUTE: '0' });
  // It has every route.
  merchant = await stack.sandboxMerchant('100000.00');
  const sku = await stack.product('35.00');
  wire = await new Wire(stack.config.DATABASE_URL).listen();
  api = await stack.startApi({ DATABASE_URL: wire.url, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  await api.get(SchemaService).whenReady();
  client = new Client(stack.urlOf(api), merchant.key);
  const { reference_id } = await stack.order(merchant, [{ sku }]);
  const webhook = await merchant.client.post<{ id: number }>('/v1/merchant-webhooks', NEW_WEBHOOK);
  ids = { reference_id, sku, id: String(webhook.body.id), delivery_id: '1' };
});

afterAll(async () => {
  await api.close();
  await closeWithBalancedBooks(stack);
  await wire.close();
});

// Nothing listens there.
const NEW_WEBHOOK = { url: 'http://127.0.0.1:1/orders' };

/** A valid body for each route with a body. Orders, deposits and webhooks are new each time. */
const BODIES: Record<string, () => unknown> = {
  'POST /v1/orders': () => ({
    reference_id: unique('order'),
    user_id: 'player-1',
    items: [{ sku: ids.sku }],
  }),
  'POST /v1/deposits': () => ({ reference_id: unique('deposit'), amount: '500.00' }),
  'POST /v1/deposits/:reference_id/slip': () => ({ payload: miniQr({ bank: '014', transRef: 'A1' }) }),
  'POST /v1/merchant-webhooks': () => NEW_WEBHOOK,
  'POST /v1/players/check': () => ({ sku: ids.sku, user_id: 'player-1' }),
  'POST /v1/sandbox/wallet/credit': () => ({ amount: '1.00' }),
  'PATCH /v1/merchant-webhooks/:id': () => ({ max_retries: 3 }),
};

/** Every route under /v1, as Express knows them. */
function routes(): Route[] {
  const express = api.getHttpAdapter().getInstance() as {
    router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
  };
  return express.router.stack.flatMap(({ route }) =>
    route?.path.startsWith('/v1/')
      ? Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path: route.path }))
      : [],
  );
}

/** Wide limits, so that each test can send requests at once. */
function ask({ method, path }: Route): Promise<Answer<unknown>> {
  const filledIn = path.replace(/:(\w+)/g, (_all, name: string) => ids[name] ?? name);
  const send = (): Promise<Answer<unknown>> => client.once.send(method, filledIn, BODIES[`${method} ${path}`]?.());
  return eventually(send, ({ status }) => status !== 429);
}

interface Asked {
  route: string;
  answer: Answer<unknown>;
}

/** Sends requests to every route at the same time, several times. */
function askAll(): Promise<Asked[]> {
  return Promise.all(
    routes().flatMap((route) =>
      Array.from({ length: AT_ONCE }, async () => {
        const answer = await ask(route);
        return { route: `${route.method} ${route.path}`, answer };
      }),
    ),
  );
}

const statuses = (asked: Asked[]): string[] => asked.map(({ route, answer }) => `${answer.status} ${route}`);

/** Sends a request to every route. @returns the routes that answered 503. */
const askUnavailable = async (): Promise<string[]> => statuses(await askAll()).filter((line) => line.startsWith('503'));

/** Waits until every route works, one after the other: requests to all of them would keep a slow machine busy. */
async function untilAllWork(): Promise<void> {
  for (const route of routes())
    await eventually(
      () => ask(route),
      ({ status }) => status !== 503,
    );
}

describe('1 Errors: PostgreSQL does not answer', () => {
  // All connections of the pools are open, and these fall silent.
  beforeEach(async () => {
    await untilAllWork();
    await askAll();
  });

  afterEach(() => wire.restore());

  it('makes the service wait no longer than clients wait', () => {
    const { connectionTimeoutMillis = Infinity, query_timeout: queryMs = Infinity } = limited(
      api.get<Config>(CONFIG),
      {},
    );
    expect(Math.max(connectionTimeoutMillis, queryMs)).toBeLessThan(CLIENTS_WAIT_MS);
  });

  it('is tested with every route', () => {
    expect(routes().length).toBeGreaterThanOrEqual(14);
  });

  it('on any connection: each route answers 503, and works once it is back', async () => {
    wire.silence('are silent');
    const asked = await askAll();
    expect(statuses(asked)).toEqual(asked.map(({ route }) => `503 ${route}`));
    for (const { answer } of asked) expectError(answer, 503, 'SERVICE_UNAVAILABLE');
    wire.restore();
    await untilAllWork();
  });

  it('on connections from before a failover: only the first request on them fails', async () => {
    const afterFailover = async (): Promise<string[]> => {
      wire.silence();
      await eventually(
        () => ask({ method: 'GET', path: '/v1/merchant-webhooks' }),
        ({ status }) => status === 503,
      );
      return askUnavailable();
    };
    // No pool uses a silent connection for another request. Another failover if the machine was too slow on the new ones.
    await eventually(afterFailover, (those) => those.length === 0);
  });
});
