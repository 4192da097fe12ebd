import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import type { Answer } from '../support/http.js';
import { TestStack, type TestMerchant } from '../support/stack.js';

interface WebhookBody {
  id: number;
  url: string;
  events: string[];
  secret_hint: string;
  status: string;
  max_retries: number;
  retry_delay: number;
  created_at: string;
  updated_at: string;
  [member: string]: unknown;
}

const PATH = '/v1/merchant-webhooks';
const URL = 'https://203.0.113.10/hook';
const SECRET = 'a-secret-of-the-shop';

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  // The example address is reserved for documentation, so it is not a public address.
  stack = await TestStack.start({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,203.0.113.0/24' }, { worker: false });
});

afterAll(() => closeWithBalancedBooks(stack));

/** A new merchant for each test, so that tests do not see each other's webhooks. */
const asNewMerchant = async (): Promise<void> => void (merchant = await stack.merchant('0.00'));

const post = (body: unknown): Promise<Answer<WebhookBody>> => merchant.client.post<WebhookBody>(PATH, body);
const get = (id: unknown): Promise<Answer<WebhookBody>> => merchant.client.get<WebhookBody>(`${PATH}/${String(id)}`);
const patch = (id: unknown, body: unknown): Promise<Answer<WebhookBody>> =>
  merchant.client.patch<WebhookBody>(`${PATH}/${String(id)}`, body);
const remove = (id: unknown): Promise<Answer<object>> => merchant.client.delete<object>(`${PATH}/${String(id)}`);
const list = async (): Promise<WebhookBody[]> => (await merchant.client.get<WebhookBody[]>(PATH)).body;

async function created(body: object = {}): Promise<WebhookBody> {
  const answer = await post({ url: URL, secret: SECRET, ...body });
  expect(answer.status).toBe(201);
  return answer.body;
}

const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

const members = {
  id: expect.any(Number),
  url: URL,
  events: ['order.completed', 'order.failed'],
  secret_hint: 'a-secret...',
  status: 'active',
  max_retries: 3,
  retry_delay: 60,
  include_deliveries: false,
  created_at: expect.stringMatching(ISO_UTC),
  updated_at: expect.stringMatching(ISO_UTC),
};

describe('2.3 Webhook configuration', () => {
  beforeAll(asNewMerchant);

  it('has exactly the members of the table, wherever it is shown', async () => {
    const webhook = await created();
    expect(webhook).toStrictEqual(members);
    expect(Number.isInteger(webhook.id)).toBe(true);
    expect((await get(webhook.id)).body).toStrictEqual(webhook);
    expect(await list()).toContainEqual(webhook);
    expect((await patch(webhook.id, {})).body).toStrictEqual(webhook);
  });

  it('shows of the secret its first 8 characters and three dots, and never the secret', async () => {
    const webhook = await created({ secret: '12345678-and-the-rest' });
    expect(webhook.secret_hint).toBe('12345678...');
    for (const shown of [webhook, (await get(webhook.id)).body, await list()]) {
      expect(JSON.stringify(shown)).not.toContain('and-the-rest');
    }
  });

  it('has updated_at, which changes on update, and created_at, which does not', async () => {
    const webhook = await created();
    const updated = (await patch(webhook.id, { url: `${URL}/2` })).body;
    expect(updated.created_at).toBe(webhook.created_at);
    expect(updated.updated_at > webhook.updated_at).toBe(true);
  });
});

describe('3.2 Webhook status', () => {
  beforeAll(asNewMerchant);

  it('is active when it is created', async () => {
    expect((await created()).status).toBe('active');
  });

  it.each([
    ['active', 'inactive'],
    ['active', 'active'],
    ['inactive', 'active'],
    ['inactive', 'inactive'],
  ])('goes from %s to %s with PATCH, and updated_at changes', async (from, to) => {
    const webhook = await created();
    const before = from === 'active' ? webhook : (await patch(webhook.id, { status: from })).body;
    const { status, body } = await patch(webhook.id, { status: to });
    expect({ status, now: body.status }).toEqual({ status: 200, now: to });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect((await get(webhook.id)).body.status).toBe(to);
  });

  it.each(['deleted', 'ACTIVE', '', true, null])('cannot become %p', async (status) => {
    const webhook = await created();
    expectRefusedField(await patch(webhook.id, { status }), 'status');
    expect((await get(webhook.id)).body).toEqual(webhook);
  });
});

describe('4.3 GET /v1/merchant-webhooks', () => {
  beforeAll(asNewMerchant);

  it('200 with an array of the merchant’s webhook configurations', async () => {
    expect(await list()).toEqual([]);
    const webhooks = [await created(), await created({ url: `${URL}/2` })];
    expect((await list()).sort((a, b) => a.id - b.id)).toEqual(webhooks);
  });

  it('shows those of the authenticated merchant only', async () => {
    const { client } = await stack.merchant('0.00');
    expect((await client.get(PATH)).body).toEqual([]);
  });
});

describe('4.4 POST /v1/merchant-webhooks', () => {
  beforeAll(asNewMerchant);

  it('201 with the created Webhook configuration', async () => {
    const { status, body } = await post({ url: URL, secret: SECRET });
    expect(status).toBe(201);
    expect(body).toStrictEqual(members);
  });

  it('generates a secret if none is given, and shows it only in this answer', async () => {
    const { status, body } = await post({ url: URL });
    const secret = String(body.secret);
    expect(status).toBe(201);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(body).toStrictEqual({ ...members, secret, secret_hint: `${secret.slice(0, 8)}...` });
    expect((await get(body.id)).body).not.toHaveProperty('secret');
  });

  it.each([
    undefined,
    '',
    'example',
    '/hook',
    'example.com/hook',
    'ftp://example.com/',
    'javascript:alert(1)',
    'http://',
    'https://exa mple.com/',
    1,
    true,
    ['https://example.com/'],
    {},
  ])('400 BAD_REQUEST for the url %p', async (url) => {
    expectRefusedField(await post({ url, secret: SECRET }), 'url');
  });

  it('400 BAD_REQUEST for a secret shorter than 16 characters, and the message states the rule', async () => {
    const answer = await post({ url: URL, secret: 'x'.repeat(15) });
    expectError(answer, 400, 'BAD_REQUEST', /secret.*16/);
  });

  it('takes http as well as https: HTTPS is recommended, not required', async () => {
    expect((await created({ url: 'http://203.0.113.10/hook' })).url).toBe('http://203.0.113.10/hook');
  });

  it('leaves nothing behind when it refuses', async () => {
    const before = (await list()).length;
    await post({ url: 'example', secret: SECRET });
    await post({ url: URL, secret: 'short' });
    expect((await list()).length).toBe(before);
  });
});

describe('4.5 GET /v1/merchant-webhooks/{id}', () => {
  beforeAll(asNewMerchant);

  it('200 with the Webhook configuration', async () => {
    const webhook = await created();
    const { status, body } = await get(webhook.id);
    expect(status).toBe(200);
    expect(body).toEqual(webhook);
  });

  it('404 NOT_FOUND with a message that the webhook was not found', async () => {
    expectError(await get(999_999), 404, 'NOT_FOUND', /webhook/i);
  });
});

describe('4.6 PATCH /v1/merchant-webhooks/{id}', () => {
  beforeAll(asNewMerchant);

  it('200 with the updated Webhook configuration', async () => {
    const { id } = await created();
    const { status, body } = await patch(id, {
      url: `${URL}/new`,
      secret: 'another secret of it',
      status: 'inactive',
    });
    expect(status).toBe(200);
    expect(body).toStrictEqual({
      ...members,
      url: `${URL}/new`,
      secret_hint: 'another ...',
      status: 'inactive',
    });
    expect((await get(id)).body).toEqual(body);
  });

  it.each<[string, object, object]>([
    ['url', { url: `${URL}/other` }, { url: `${URL}/other` }],
    ['secret', { secret: 'quite another secret' }, { secret_hint: 'quite an...' }],
    ['status', { status: 'inactive' }, { status: 'inactive' }],
  ])('changes the %s alone when nothing else is sent', async (_member, change, changed) => {
    const webhook = await created();
    const { body } = await patch(webhook.id, change);
    expect(body).toEqual({ ...webhook, ...changed, updated_at: body.updated_at });
  });

  it('changes nothing when nothing is sent', async () => {
    const webhook = await created();
    expect((await patch(webhook.id, {})).body).toEqual(webhook);
  });

  it.each<[string, unknown]>([
    ['url', 'example'],
    ['url', null],
    ['secret', 'x'.repeat(15)],
    ['secret', null],
    ['status', 'paused'],
    ['id', 7],
    ['secret_hint', 'abcdefgh...'],
  ])('400 BAD_REQUEST for %s = %p, and nothing changes', async (member, value) => {
    const webhook = await created();
    expectRefusedField(await patch(webhook.id, { status: 'inactive', [member]: value }), member);
    expect((await get(webhook.id)).body).toEqual(webhook);
  });

  it('404 NOT_FOUND when the webhook is unknown', async () => {
    expectError(await patch(999_999, { status: 'inactive' }), 404, 'NOT_FOUND', /webhook/i);
  });
});

describe('4.7 DELETE /v1/merchant-webhooks/{id}', () => {
  beforeAll(asNewMerchant);

  it('200 with success and a message, and the webhook is gone', async () => {
    const { id } = await created();
    const { status, body } = await remove(id);
    expect(status).toBe(200);
    expect(body).toStrictEqual({ success: true, message: expect.stringMatching(/\S/) });
    expectError(await get(id), 404, 'NOT_FOUND');
    expectError(await patch(id, { status: 'active' }), 404, 'NOT_FOUND');
    expect((await list()).map((webhook) => webhook.id)).not.toContain(id);
  });

  it('404 NOT_FOUND when the webhook is unknown, or was deleted before', async () => {
    const { id } = await created();
    await remove(id);
    expectError(await remove(id), 404, 'NOT_FOUND', /webhook/i);
    expectError(await remove(999_999), 404, 'NOT_FOUND', /webhook/i);
  });

  it('leaves the merchant’s other webhooks alone', async () => {
    const [gone, kept] = [await created(), await created()];
    await remove(gone.id);
    expect((await get(kept.id)).body).toEqual(kept);
  });
});

describe('4.5–4.7 the id in the path', () => {
  beforeAll(asNewMerchant);

  it.each(['abc', '1.5', '1x', '%20', 'null'])('400 BAD_REQUEST for %p, which is no integer', async (id) => {
    for (const answer of [await get(id), await patch(id, {}), await remove(id)]) {
      expectError(answer, 400, 'BAD_REQUEST');
    }
  });

  it.each(['0', '-1', '2147483648', '99999999999999999999999999'])(
    '404 NOT_FOUND for %s, an integer that no webhook has',
    async (id) => {
      for (const answer of [await get(id), await patch(id, {}), await remove(id)]) {
        expectError(answer, 404, 'NOT_FOUND');
      }
    },
  );

  it('404 NOT_FOUND for another merchant’s webhook, which stays as it is', async () => {
    const webhook = await created();
    const { client } = await stack.merchant('0.00');
    expectError(await client.get(`${PATH}/${webhook.id}`), 404, 'NOT_FOUND');
    expectError(await client.patch(`${PATH}/${webhook.id}`, { status: 'inactive' }), 404, 'NOT_FOUND');
    expectError(await client.delete(`${PATH}/${webhook.id}`), 404, 'NOT_FOUND');
    expect((await get(webhook.id)).body).toEqual(webhook);
  });
});
