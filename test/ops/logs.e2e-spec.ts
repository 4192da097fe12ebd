import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../src/core/secret-box.js';
import { NO_CREDENTIALS, SupplierCredentialsService } from '../../src/suppliers/supplier-credentials.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, refused } from '../support/fake-supplier.js';
import { Client, untilNotBusy, type Answer } from '../support/http.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const SUPPLIER_TOKEN = 'supplier-token-of-the-test';
const SUPPLIER_KEY = 'supplier-key-of-the-test';
const OWN_SECRET = 'webhook-secret-of-the-test';
const NEW_SECRET = 'second-webhook-secret-of-the-test';

interface LogLine {
  level: string;
  msg: string;
  requestId?: string;
  orderNumber?: string;
  [member: string]: unknown;
}

const log: string[] = [];
let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let sku: string;
let generatedSecret: string;

beforeAll(async () => {
  stack = await TestStack.start({ LOG_LEVEL: 'trace' }, { logTo: { write: (line) => void log.push(line) } });
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant();
  await stack.addSupplier('paid', stack.supplier.url, 10_000, SUPPLIER_TOKEN);
  await giveKey('paid');
  sku = await stack.product('35.00', { supplier: 'paid' });
  await register({ url: receiver.url('/own'), secret: OWN_SECRET });
  generatedSecret = (await register({ url: receiver.url('/generated') })).secret ?? '';
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

/** A second credential, like those of suppliers' adapters. */
async function giveKey(supplier: string): Promise<void> {
  const { credentials_sealed: sealed } = new SupplierCredentialsService(stack.api.get(SecretBox)).change(
    supplier,
    NO_CREDENTIALS,
    { key: SUPPLIER_KEY },
  );
  await stack.sql(`UPDATE suppliers SET credentials_sealed = $1, credential_names = '{key}' WHERE code = $2`, [
    sealed,
    supplier,
  ]);
}

async function register(webhook: object): Promise<{ id: number; secret?: string }> {
  const body = { max_retries: 0, ...webhook };
  return (await merchant.client.post<{ id: number; secret?: string }>('/v1/merchant-webhooks', body)).body;
}

/** Sends a request under an id of its own, and again under another one if the service is busy: that has lines of its own. */
async function sendOnce<Body>(
  send: (client: Client, headers: { 'x-request-id': string }) => Promise<Answer<Body>>,
): Promise<{ requestId: string; body: Body }> {
  let requestId = '';
  const { body } = await untilNotBusy(() => {
    requestId = randomUUID();
    return send(merchant.client.once, { 'x-request-id': requestId });
  });
  return { requestId, body };
}

/** @returns the order's number, and the id of the request. */
async function place(userId = 'player-1'): Promise<{ order_number: string; requestId: string }> {
  const { requestId, body } = await sendOnce((client, headers) => {
    const order = { reference_id: unique('order'), user_id: userId, items: [{ sku }] };
    return client.post<OrderBody>('/v1/orders', order, headers);
  });
  return { requestId, order_number: body.order_number };
}

/** The lines that a grep of a request id finds. */
const grep = (requestId: string): LogLine[] =>
  log.filter((line) => line.includes(requestId)).map((line) => JSON.parse(line) as LogLine);

const messages = (lines: LogLine[]): string[] => lines.map(({ level, msg }) => `${level} ${msg}`);
const countOf = (lines: LogLine[], msg: string): number => lines.filter((line) => line.msg === msg).length;

/** The log lines of an order, once all its deliveries have ended. */
const linesOf = (requestId: string, endings: number): Promise<LogLine[]> =>
  eventually(
    () => grep(requestId),
    (lines) => countOf(lines, 'webhook delivered') + countOf(lines, 'webhook failed for good') === endings,
  );

describe('one grep of a request id shows an order’s history', () => {
  it('from being placed to being delivered, each line with the order’s number', async () => {
    const { order_number, requestId } = await place();
    const lines = await linesOf(requestId, 2);
    expect(messages(lines)).toEqual(
      expect.arrayContaining([
        'info order placed',
        'debug calling a supplier',
        'debug supplier answered',
        'debug unit settled',
        'info order completed',
        'debug a delivery attempt ended',
        'info webhook delivered',
      ]),
    );
    const ofOrder = lines.filter(({ msg }) => msg !== 'request answered');
    expect(ofOrder.map((line) => [line.msg, line.orderNumber])).toEqual(ofOrder.map(({ msg }) => [msg, order_number]));
  });

  it('with three kinds of lines at the usual level: placed, ended, and delivered to each webhook', async () => {
    const { requestId } = await place();
    const lines = await linesOf(requestId, 2);
    expect(messages(lines.filter(({ level }) => level !== 'debug')).sort()).toEqual([
      'info order completed',
      'info order placed',
      'info webhook delivered',
      'info webhook delivered',
    ]);
  });

  it('also after failures: a unit in doubt, a refusal, a failing webhook', async () => {
    stack.supplier.script('unlucky', ({ kind, reference }) =>
      kind === 'send' ? 'drop' : refused(reference, 'OUT_OF_STOCK'),
    );
    receiver.answer('/own', 500);
    const { requestId } = await place('unlucky');
    const lines = await linesOf(requestId, 2);
    expect(messages(lines)).toEqual(
      expect.arrayContaining([
        'warn a supplier call did not decide a unit',
        'info order failed',
        'info webhook failed for good',
        'info webhook delivered',
      ]),
    );
    expect(lines.find(({ msg }) => msg === 'order failed')).toMatchObject({ failureCode: 'OUT_OF_STOCK' });
    expect(lines.find(({ msg }) => msg === 'webhook failed for good')).toMatchObject({ result: 500 });
  });

  it('and a request without an order has its line at level debug', async () => {
    const { requestId } = await sendOnce((client, headers) =>
      client.get(`/v1/wallet?api_key=${merchant.key}`, headers),
    );
    const lines = await eventually(
      () => grep(requestId),
      (found) => found.length > 0,
    );
    expect(lines).toMatchObject([{ level: 'debug', method: 'GET', path: '/v1/wallet', status: 200 }]);
  });
});

describe('no log line contains', () => {
  beforeAll(async () => {
    const { id } = await register({ url: receiver.url('/rotated'), secret: OWN_SECRET });
    const change = { secret: NEW_SECRET, rotation_overlap: 60 };
    await merchant.client.patch(`/v1/merchant-webhooks/${id}`, change);
    await merchant.client.patch(`/v1/merchant-webhooks/${id}`, { secret: { of: NEW_SECRET } });
    stack.supplier.script('refuses-token', ({ kind, reference }, earlier) =>
      kind === 'send' && earlier.length === 0 ? { status: 401 } : bought(reference),
    );
    const { requestId } = await place('refuses-token');
    await linesOf(requestId, 3);
    // A reader of the log could guess the right key from an almost right one.
    await new Client(stack.url, `${merchant.key}x`).get('/v1/wallet');
    await new Client(stack.url, null).send('GET', '/v1/wallet', undefined, { authorization: merchant.key });
  });

  it.each<[string, () => string]>([
    ['the API key', () => merchant.key],
    ['the secret part of the API key', () => merchant.key.slice(-20)],
    ['a webhook secret of the merchant’s', () => OWN_SECRET],
    ['its successor', () => NEW_SECRET],
    ['a webhook secret of ours', () => generatedSecret],
    ['the supplier’s token', () => SUPPLIER_TOKEN],
    ['another credential of the supplier', () => SUPPLIER_KEY],
    ['SECRETS_KEY', () => stack.config.secretsKey?.toString('base64') ?? ''],
    ['the password in DATABASE_URL', () => new URL(stack.config.DATABASE_URL).password],
  ])('%s', (_what, secretOf) => {
    const secret = secretOf();
    expect(secret.length).toBeGreaterThan(15);
    expect(log.length).toBeGreaterThan(50);
    expect(log.filter((line) => line.includes(secret))).toEqual([]);
  });

  it('what is not one JSON object on one line', () => {
    for (const line of log) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    }
  });
});
