import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '../../src/core/config.js';
import { WebhookDestinationsService } from '../../src/webhooks/webhook-destinations.service.js';
import { expectError, expectRefusedField } from '../support/expectations.js';
import { TestStack } from '../support/stack.js';
import { Hooks, type WebhookBody } from './support.js';

const PATH = '/v1/merchant-webhooks';
const URL = 'http://127.0.0.1:9/hook';
const SECRET = 'a-secret-of-the-shop';

let stack: TestStack;
let hooks: Hooks;

beforeAll(async () => {
  stack = await TestStack.start({ WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8,::1/128' }, { worker: false });
});

afterAll(() => stack.close());

beforeEach(async () => void (hooks = new Hooks(await stack.merchant('0.00'))));

const post = (body: object) => hooks.merchant.client.post<WebhookBody>(PATH, body);
const patch = (id: number, body: object) => hooks.merchant.client.patch<WebhookBody>(`${PATH}/${id}`, body);

describe('the URL of a webhook', () => {
  it.each([
    'http://10.0.0.1/',
    'http://0xa000001/',
    'http://167772161/',
    'http://192.168.1/',
    'http://169.254.169.254/latest',
    'http://0/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'http://LOCALHOST.:80/',
    'http://a.localhost/',
    'http://printer.local/',
    'http://metadata.google.internal./',
    'https://224.0.0.1/',
    'https://203.0.113.7/',
    'http://１０.0.0.1/',
    'https://user:password@shop.example/',
    'https://shop.example/#part',
    `https://shop.example/${'x'.repeat(2048)}`,
  ])('400 for %s, at registration and at a change', async (url) => {
    expectRefusedField(await post({ url }), 'url');
    const { id } = await hooks.register(URL);
    expectRefusedField(await patch(id, { url }), 'url');
    expect((await hooks.get(id)).body.url).toBe(URL);
  });

  it.each([
    'http://127.0.0.1:3000/hook',
    'http://2130706433/hook',
    'http://[::1]:3000/hook',
    'https://8.8.8.8/hook?a=b',
    'https://nobody.invalid/hook',
    'HTTPS://[2606:4700:4700::1111]/',
  ])('201 for %s, and the URL is stored unchanged', async (url) => {
    expect((await hooks.register(url)).url).toBe(url);
  });

  it.each<[string[], boolean]>([
    [['93.184.216.34'], true],
    [['127.0.0.1'], false],
    [['93.184.216.34', '10.0.0.1'], false],
    [['93.184.216.34', '::1'], false],
    [['2606:4700:4700::1111', '93.184.216.34'], true],
    [[], true],
  ])('a name that resolves to %j is accepted: %p', async (addresses, accepted) => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://x',
      REDIS_URL: 'redis://x',
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    });
    const destinations = new WebhookDestinationsService(config, () => Promise.resolve(addresses));
    const asked = destinations.assertPermitted('https://shop.example/hook');
    if (accepted) await expect(asked).resolves.toBeUndefined();
    else await expect(asked).rejects.toMatchObject({ code: 'BAD_REQUEST', details: [{ field: 'url' }] });
  });

  it('a name whose name server does not answer is accepted, without waiting for it', async () => {
    const destinations = new WebhookDestinationsService(stack.config, (_hostname, signal) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    });
    await destinations.assertPermitted('https://shop.example/hook');
  });
});

describe('the members beyond the specification', () => {
  it('are accepted at registration, and null means absent', async () => {
    const settings = { events: ['order.failed'], max_retries: 0, retry_delay: 86_400 };
    const given = { ...settings, include_deliveries: true };
    expect(await hooks.register(URL, given)).toMatchObject(given);
    const numbers = { max_retries: null, retry_delay: null };
    const absent = { secret: null, events: null, ...numbers, include_deliveries: null };
    const { status, body } = await post({ url: URL, ...absent });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      events: ['order.completed', 'order.failed'],
      max_retries: 3,
      retry_delay: 60,
      include_deliveries: false,
    });
    expect(body.secret).toMatch(/^whsec_/);
  });

  it('are changed one by one', async () => {
    const webhook = await hooks.register(URL);
    for (const change of [
      { events: ['order.failed'] },
      { max_retries: 10 },
      { retry_delay: 7 },
      { include_deliveries: true },
    ]) {
      const before = (await hooks.get(webhook.id)).body;
      const after = await hooks.patch(webhook.id, change);
      expect(after).toEqual({ ...before, ...change, updated_at: after.updated_at });
      expect(after.updated_at > before.updated_at).toBe(true);
    }
  });

  it.each<[string, unknown]>([
    ['events', []],
    ['events', 'order.failed'],
    ['events', ['order.failed', 'order.failed']],
    ['events', ['webhook.test']],
    ['events', [null]],
    ['max_retries', -1],
    ['max_retries', 11],
    ['max_retries', 1.5],
    ['max_retries', '3'],
    ['retry_delay', 0],
    ['retry_delay', 86_401],
    ['retry_delay', true],
    ['secret', 'x'.repeat(256)],
    ['secret', ' '.repeat(16)],
    ['secret', `a secret with a NUL\0`],
    ['secret', `a secret with a lone \ud800`],
    ['secret', 1234567890123456],
    ['rotation_overlap', 0],
    ['status', 'active'],
    ['Secret', SECRET],
  ])('400 at registration for %s = %j', async (member, value) => {
    expectRefusedField(await post({ url: URL, [member]: value }), member);
  });

  it.each([[null], [[]], [7]])('400 at a change for %j, which is no object', async (body) => {
    const webhook = await hooks.register(URL);
    const answer = await hooks.merchant.client.patch(`${PATH}/${webhook.id}`, body);
    expectError(answer, 400, 'BAD_REQUEST', 'The request body must be a JSON object');
  });

  it.each<[string, unknown]>([
    ['events', null],
    ['max_retries', null],
    ['retry_delay', null],
    ['rotation_overlap', null],
    ['rotation_overlap', -1],
    ['rotation_overlap', 604_801],
    ['events', []],
    ['created_at', '2026-01-01T00:00:00.000Z'],
  ])('400 at a change for %s = %j', async (member, value) => {
    const webhook = await hooks.register(URL);
    expectRefusedField(await patch(webhook.id, { secret: SECRET, [member]: value }), member);
    expect((await hooks.get(webhook.id)).body).toEqual({ ...webhook, secret: undefined });
  });

  it('400 for a rotation_overlap without a secret', async () => {
    const { id } = await hooks.register(URL);
    expectRefusedField(await patch(id, { rotation_overlap: 60 }), 'rotation_overlap');
    expectRefusedField(await patch(id, { rotation_overlap: 0 }), 'rotation_overlap');
    expect((await patch(id, { secret: SECRET, rotation_overlap: 0 })).status).toBe(200);
  });
});

describe('secrets', () => {
  it('have 16 to 255 characters, none of them half a surrogate pair', async () => {
    for (const secret of ['🎮'.repeat(16), '🎮'.repeat(255), 'x'.repeat(16), 'x'.repeat(255)]) {
      const webhook = await hooks.register(URL, { secret });
      expect(webhook.secret_hint).toBe(`${[...secret].slice(0, 8).join('')}...`);
    }
    expectRefusedField(await post({ url: URL, secret: '🎮'.repeat(15) }), 'secret');
    expectRefusedField(await post({ url: URL, secret: '🎮'.repeat(256) }), 'secret');
  });

  it('are stored sealed, and are never shown if the merchant chose them', async () => {
    const { id } = await hooks.register(URL, { secret: SECRET });
    const replaced = await hooks.patch(id, { secret: `${SECRET}-2`, rotation_overlap: 60 });
    expect(replaced).not.toHaveProperty('secret');
    const [row] = await stack.sql<Record<string, unknown>>('SELECT * FROM webhooks WHERE id = $1', [id]);
    const stored = Object.values(row ?? {}).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
    expect(JSON.stringify(stored)).not.toContain('of-the-shop');
    expect(row?.previous_secret_sealed).not.toBeNull();
  });

  it('that are replaced by themselves, as by a repeated request: the old one and the end of its overlap stay', async () => {
    const { id } = await hooks.register(URL, { secret: SECRET });
    const previous = () =>
      stack.sql<Record<'previous_secret_sealed', Buffer | null>>(
        'SELECT previous_secret_sealed, previous_secret_expires_at FROM webhooks WHERE id = $1',
        [id],
      );
    const change = { secret: `${SECRET}-2`, rotation_overlap: 600 };
    await hooks.patch(id, change);
    const before = await previous();
    for (let times = 0; times < 2; times++) await hooks.patch(id, { ...change, max_retries: 7 });
    expect(await previous()).toEqual(before);
    expect((await hooks.get(id)).body.max_retries).toBe(7);
    await hooks.patch(id, { secret: change.secret });
    expect((await previous())[0]?.previous_secret_sealed).toBeNull();
  });

  it('that cannot be opened can be replaced with an overlap', async () => {
    const { id } = await hooks.register(URL, { secret: SECRET });
    await stack.sql(`UPDATE webhooks SET secret_sealed = '\\x00' || secret_sealed WHERE id = $1`, [id]);
    expect((await hooks.patch(id, { secret: 'another secret of mine', rotation_overlap: 600 })).secret_hint).toBe(
      'another ...',
    );
  });

  it('that were replaced: only the latest is kept, and a replacement without overlap ends it at once', async () => {
    const { id } = await hooks.register(URL, { secret: SECRET });
    const previous = async () => {
      const [row] = await stack.sql<{ sealed: Buffer | null; seconds: number | null }>(
        `SELECT previous_secret_sealed AS sealed,
                extract(epoch FROM previous_secret_expires_at - updated_at)::int AS seconds
         FROM webhooks WHERE id = $1`,
        [id],
      );
      return row;
    };
    await hooks.patch(id, { secret: `${SECRET}-2`, rotation_overlap: 604_800 });
    const first = await previous();
    expect(first?.seconds).toBe(604_800);
    await hooks.patch(id, { secret: `${SECRET}-3`, rotation_overlap: 60 });
    const second = await previous();
    expect(second?.sealed).not.toEqual(first?.sealed);
    await hooks.patch(id, { secret: `${SECRET}-4` });
    expect(await previous()).toEqual({ sealed: null, seconds: null });
  });
});

describe('changes', () => {
  it('always increase updated_at, even if they follow each other at once', async () => {
    const { id } = await hooks.register(URL);
    const moments = new Set<string>();
    const changes = Array.from({ length: 20 }, (_, index) => hooks.patch(id, { max_retries: index % 10 }));
    for (const { updated_at } of await Promise.all(changes)) moments.add(updated_at);
    expect(moments.size).toBe(20);
  });

  it('that are empty change nothing', async () => {
    const { id } = await hooks.register(URL);
    const before = (await hooks.get(id)).body;
    expect((await patch(id, {})).body).toEqual(before);
    expect((await hooks.get(id)).body).toEqual(before);
  });
});

describe('the number of webhooks', () => {
  it('is at most 20, even if many registrations come at once; deleted ones do not count', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => post({ url: URL })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    const tooMany = answers.find(({ status }) => status !== 201);
    if (tooMany) expectError(tooMany, 400, 'BAD_REQUEST', /20/);
    const { body } = await hooks.merchant.client.get<WebhookBody[]>(PATH);
    expect(body.map(({ id }) => id)).toEqual(body.map(({ id }) => id).sort((a, b) => a - b));
    expect(body).toHaveLength(20);
    await hooks.remove(body[0]?.id ?? 0);
    expect((await post({ url: URL })).status).toBe(201);
    expect((await post({ url: URL })).status).toBe(400);
  });
});
