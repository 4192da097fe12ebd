import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  isEvent,
  Topup,
  WebhookVerificationError,
  WebhookVerifier,
  type IncomingHeaders,
  type RawBody,
} from '../../sdk/typescript/src/index.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { WebhookReceiver, type Received } from '../support/webhook-receiver.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
let stack: TestStack;
let receiver: WebhookReceiver;
let merchant: TestMerchant;
let topup: Topup;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  merchant = await stack.merchant();
  topup = new Topup({ apiKey: merchant.key, baseUrl: stack.url });
  sku = await stack.product('10.00');
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** Waits for a request at the path. @param signatures how many it has. */
const received = (path: string, signatures = 1): Promise<Received> =>
  eventually(
    () => receiver.at(path).find(({ headers }) => headers['webhook-signature']?.split(' ').length === signatures),
    (request) => request !== undefined,
  ) as Promise<Received>;

/** A test event, delivered to a new webhook with this secret. */
async function delivered(secret: string): Promise<Received & { id: number }> {
  const path = `/${unique('hook')}`;
  const { id } = await untilDone(() => topup.webhooks.create({ url: receiver.url(path), secret }));
  await untilDone(() => topup.webhooks.test(id));
  return { ...(await received(path)), id };
}

const failureOf = (body: RawBody, headers: IncomingHeaders, verifier = new WebhookVerifier(SECRET)): Promise<unknown> =>
  verifier.verify(body, headers).then(
    () => null,
    (error: unknown) => error,
  );

describe('deliveries of the service', () => {
  it('are verified, and contain their event', async () => {
    const path = `/${unique('orders')}`;
    const { secret = '' } = await untilDone(() => topup.webhooks.create({ url: receiver.url(path) }));
    const order = await stack.order(merchant, [{ sku }]);
    const { body, headers } = await received(path);
    const event = await new WebhookVerifier(secret).verify(body, headers);
    expect(event.id).toBe(headers['webhook-id']);
    if (!isEvent(event, 'order.completed')) throw new Error('it is another event');
    expect(event.data).toMatchObject({ order_number: order.order_number, status: 'completed' });
  });

  it.each(['a secret of words é ☃', `whsec_not base64!`, 'whsec_AAAA', SECRET])(
    'are verified with the secret %s',
    async (secret) => {
      const padded = secret.padEnd(16, '=');
      const { body, headers } = await delivered(padded);
      expect(await new WebhookVerifier(padded).verify(body, headers)).toMatchObject({
        event: 'webhook.test',
      });
      expect(await failureOf(body, headers, new WebhookVerifier(`${padded}x`))).toMatchObject({
        reason: 'no_matching_signature',
      });
    },
  );

  it('are verified with either secret during a rotation', async () => {
    const { id, path } = await delivered(SECRET);
    const change = { secret: 'another-secret-of-mine', rotation_overlap: 600 };
    await untilDone(() => topup.webhooks.update(id, change));
    await untilDone(() => topup.webhooks.test(id));
    const { body, headers } = await received(path, 2);
    for (const secrets of [SECRET, 'another-secret-of-mine', ['one that never was', SECRET]])
      expect(await new WebhookVerifier(secrets).verify(body, headers)).toMatchObject({
        event: 'webhook.test',
      });
  });

  it('are accepted in the form of any framework', async () => {
    const { body, headers } = await delivered(SECRET);
    const bytes = Buffer.from(body);
    const verifier = new WebhookVerifier(SECRET);
    const whole = new Uint8Array(bytes).buffer;
    for (const form of [body, bytes, new Uint8Array(bytes), whole])
      expect(await verifier.verify(form, new Headers(headers))).toMatchObject({ event: 'webhook.test' });
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    expect(await verifier.verify(body, shouted)).toMatchObject({ event: 'webhook.test' });
  });

  it('are refused if their time is more than five minutes in the past or the future', async () => {
    const { body, headers } = await delivered(SECRET);
    const sentAt = Number(headers['webhook-timestamp']) * 1000;
    const at = (seconds: number): Promise<unknown> =>
      failureOf(body, headers, new WebhookVerifier(SECRET, { now: () => sentAt + seconds * 1000 }));
    expect(await at(300)).toBeNull();
    expect(await at(-300)).toBeNull();
    expect(await at(301)).toMatchObject({ reason: 'too_old' });
    expect(await at(-301)).toMatchObject({ reason: 'too_new' });
  });
});

describe('a request that is no delivery of the service', () => {
  const atMs = Date.now();
  const now = String(Math.floor(atMs / 1000));
  /** At that time, however much later the test runs. */
  const failureThen = (body: RawBody, headers: IncomingHeaders): Promise<unknown> =>
    failureOf(body, headers, new WebhookVerifier(SECRET, { now: () => atMs }));
  const whole = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': now,
    'webhook-signature': `v1,${'A'.repeat(43)}=`,
  };
  const without = (name: keyof typeof whole): IncomingHeaders => ({ ...whole, [name]: undefined });

  it.each<[string, string, unknown, unknown]>([
    ['without an id', 'missing_header', '{}', without('webhook-id')],
    ['without a time', 'missing_header', '{}', without('webhook-timestamp')],
    ['without a signature', 'missing_header', '{}', without('webhook-signature')],
    ['with an empty signature', 'missing_header', '{}', { ...whole, 'webhook-signature': '' }],
    ['with a header twice', 'missing_header', '{}', { ...whole, 'webhook-id': ['a', 'b'] }],
    ['without headers', 'missing_header', '{}', undefined],
    ['with headers of null', 'missing_header', '{}', null],
    ['with a time in words', 'bad_timestamp', '{}', { ...whole, 'webhook-timestamp': 'now' }],
    ['with a time that is no whole number', 'bad_timestamp', '{}', { ...whole, 'webhook-timestamp': '1.5' }],
    ['with a time of another script', 'bad_timestamp', '{}', { ...whole, 'webhook-timestamp': '١٢٣' }],
    ['with a time without end', 'bad_timestamp', '{}', { ...whole, 'webhook-timestamp': '9'.repeat(400) }],
    ['with a negative time', 'bad_timestamp', '{}', { ...whole, 'webhook-timestamp': '-1' }],
    ['with a forged signature', 'no_matching_signature', '{}', whole],
    [
      'with a signature that is not ASCII',
      'no_matching_signature',
      '{}',
      { ...whole, 'webhook-signature': 'v1,é☃\u0000' },
    ],
    ['with half a surrogate', 'no_matching_signature', '{}', { ...whole, 'webhook-id': '\ud800' }],
    [
      'with thousands of signatures',
      'no_matching_signature',
      '{}',
      { ...whole, 'webhook-signature': 'v1,a '.repeat(5000) },
    ],
    [
      'with a signature of another version',
      'no_matching_signature',
      '{}',
      { ...whole, 'webhook-signature': 'v2,AAAA' },
    ],
    ['without a body', 'bad_body', undefined, whole],
    ['with a body that was parsed', 'bad_body', { id: 'evt_1' }, whole],
  ])('is refused: %s', async (_what, reason, body, headers) => {
    const failure = await failureThen(body as RawBody, headers as IncomingHeaders);
    expect(failure).toBeInstanceOf(WebhookVerificationError);
    expect(failure).toMatchObject({ reason });
  });

  it('is refused if its signed body is no event', async () => {
    const { importKey, sign } = await import('../../sdk/typescript/src/signature.js');
    for (const body of ['', 'null', '[]', '{', '{"event":1}']) {
      const signature = await sign(await importKey(SECRET), 'evt_1', now, Buffer.from(body));
      const failure = await failureThen(body, { ...whole, 'webhook-signature': `v1a,x ${signature}` });
      expect([body, failure]).toMatchObject([body, { reason: 'bad_body' }]);
    }
  });

  it('is refused if a byte of the body changed', async () => {
    const { body, headers } = await delivered(SECRET);
    expect(await failureOf(body.replace('webhook.test', 'webhook.tess'), headers)).toMatchObject({
      reason: 'no_matching_signature',
    });
  });

  it.each(['', []])('is never accepted without a secret: %o', (secret) => {
    expect(() => new WebhookVerifier(secret)).toThrow(TypeError);
  });
});
