import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiKeyUsesService } from '../../src/auth/api-key-uses.service.js';
import { ApiKeysRepository } from '../../src/auth/api-keys.repository.js';
import { Client, type ErrorBody } from '../support/http.js';
import { unique, type TestMerchant } from '../support/stack.js';
import { eventually } from '../support/eventually.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface KeyBody {
  id: number;
  prefix: string;
  name: string;
  allowed_networks: string[];
  state: string;
  expires_at: string | null;
  last_used_at: string | null;
}
interface IssuedBody {
  api_key: KeyBody;
  key: string;
}
interface PriceBody {
  sku: string;
  list_price: string;
  own_price: string | null;
  price: string;
  discount: string;
  cost: string | null;
  margin: string | null;
}

let scene: Scene;
let admin: TestOperator;
let merchant: TestMerchant;
beforeAll(async () => {
  scene = await startScene();
  ({ merchant } = scene);
  admin = await scene.console.signedIn('admin');
});
afterAll(() => scene.close());

const logged = async (): Promise<string[]> =>
  (
    await scene.console.sql<{ action: string }>(
      'SELECT action FROM operator_actions WHERE merchant_id = $1 ORDER BY id',
      [merchant.id],
    )
  ).map(({ action }) => action);

const unconfirmed = async (): Promise<TestOperator> => {
  const operator = await scene.console.signedIn('admin');
  await scene.console.sql(
    `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
    [operator.id],
  );
  return operator;
};

describe('keys', () => {
  const keys = (id = merchant.id): string => `/api/merchants/${id}/keys`;
  const list = async (): Promise<KeyBody[]> => (await admin.browser.get<{ data: KeyBody[] }>(keys())).body.data;
  /** The time of a key's last use is written after the answer to its request, so it may change at any moment. */
  const withoutLastUse = (all: KeyBody[]): KeyBody[] => all.map((key) => ({ ...key, last_used_at: null }));
  const issue = (
    body: object = {},
    idempotencyKey?: string,
    { browser } = admin,
  ): Promise<{ status: number; body: IssuedBody & ErrorBody }> =>
    browser.post(keys(), body, {
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    });
  const worksAt = async (key: string): Promise<number> =>
    (await new Client(scene.stack.url, key).get('/v1/wallet')).status;

  it('are issued with networks and an expiry, and shown once', async () => {
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const given = { name: 'checkout', allowed_networks: ['127.0.0.0/8'], expires_at };
    const { status, body } = await issue(given);
    expect([status, body.api_key]).toMatchObject([201, { ...given, state: 'active' }]);
    expect(body.key.startsWith(body.api_key.prefix)).toBe(true);
    const [newest] = await list();
    expect(newest).toEqual(body.api_key);
    expect(await worksAt(body.key)).toBe(200);
    expect(JSON.stringify(await list())).not.toContain(body.key);
    for (const wrong of [{ allowed_networks: ['here'] }, { expires_at: '2020-01-01T00:00:00Z' }, { name: '' }])
      expect([wrong, (await issue(wrong)).status]).toEqual([wrong, 400]);
    const { body: refused } = await issue({ allowed_networks: ['10.0.0.0/8', '10.1'] });
    expect(refused.details).toMatchObject([{ field: 'allowed_networks', code: 'INVALID_VALUE' }]);
  });

  it('are issued once for a double click; the repeated request returns the same key’s name', async () => {
    const before = (await list()).length;
    const request = unique('issue-request');
    const answers = await Promise.all([issue({}, request), issue({}, request), issue({}, request)]);
    expect(answers.map(({ status }) => status).sort((one, two) => one - two)).toEqual([201, 409, 409]);
    const prefix = answers.find(({ status }) => status === 201)?.body.api_key.prefix ?? '';
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain(prefix);
    expect(await list()).toHaveLength(before + 1);
  });

  it('are refused for a request with a used Idempotency-Key and other content', async () => {
    const request = unique('issue-request');
    const asked = { name: 'till', allowed_networks: ['127.0.0.0/8'], expires_at: '2099-01-01T00:00:00Z' };
    expect((await issue(asked, request)).status).toBe(201);
    const before = await list();
    const elsewhere = await scene.stack.merchant('0.00');
    for (const answer of [
      ...[{ name: 'other' }, { allowed_networks: [] }, { expires_at: '2099-01-02T00:00:00Z' }].map((change) =>
        issue({ ...asked, ...change }, request),
      ),
      admin.browser.post<ErrorBody>(keys(elsewhere.id), asked, { headers: { 'idempotency-key': request } }),
      admin.browser.post<ErrorBody>(
        `${keys()}/${before[0]?.id}/rotation`,
        { overlap_seconds: 0 },
        { headers: { 'idempotency-key': request } },
      ),
    ]) {
      const { status, body } = await answer;
      expect([status, body.message]).toEqual([409, 'Idempotency-Key was used for something else']);
    }
    expect(withoutLastUse(await list())).toEqual(withoutLastUse(before));
    expect((await issue(asked, request)).body.message).toContain('has issued the key');
  });

  it('are rotated with an overlap, once', async () => {
    const { body: old } = await issue({ name: 'rotated' });
    const request = { headers: { 'idempotency-key': unique('rotation-request') } };
    const rotate = (): Promise<{ status: number; body: IssuedBody }> =>
      admin.browser.post(`${keys()}/${old.api_key.id}/rotation`, { overlap_seconds: 3600 }, request);
    const answers = await Promise.all([rotate(), rotate()]);
    expect(answers.map(({ status }) => status).sort((one, two) => one - two)).toEqual([201, 409]);
    const successor = answers.find(({ status }) => status === 201)?.body;
    expect(successor?.api_key).toMatchObject({ name: 'rotated', state: 'active', expires_at: null });
    expect([await worksAt(old.key), await worksAt(successor?.key ?? '')]).toEqual([200, 200]);
    const ending = (await list()).find(({ id }) => id === old.api_key.id);
    expect(Date.parse(ending?.expires_at ?? '')).toBeGreaterThan(Date.now());
    expect((await logged()).filter((action) => action === 'api_key.rotate')).toHaveLength(1);
    const { body: other } = await admin.browser.post<ErrorBody>(
      `${keys()}/${old.api_key.id}/rotation`,
      { overlap_seconds: 0 },
      request,
    );
    expect(other.message).toBe('Idempotency-Key was used for something else');
  });

  it('show the hour of their last use, which is written once an hour for all processes', async () => {
    const { body: unused } = await issue({ name: 'unused' });
    const { body: used } = await issue({ name: 'used' });
    const id = used.api_key.id;
    const lastUsed = async (): Promise<string | null | undefined> =>
      (await list()).find((each) => each.id === id)?.last_used_at;
    expect(await lastUsed()).toBeNull();
    await worksAt(used.key);
    const hour = await eventually(lastUsed, (at) => typeof at === 'string');
    expect(hour).toMatch(/:00:00\.000Z$/);
    expect((await list()).find((each) => each.id === unused.api_key.id)?.last_used_at).toBeNull();
    const version = (): Promise<object[]> =>
      scene.console.sql('SELECT xmin::text, last_used_at FROM api_keys WHERE id = $1', [id]);
    const written = await version();
    // Another process, which has written nothing yet, and one an hour later.
    const uses = new ApiKeyUsesService(scene.stack.api.get(ApiKeysRepository));
    const at = Date.parse(hour ?? '') + 60_000 - (Date.now() - performance.now());
    await uses.note([{ apiKeyId: id, usedAtMs: at }]);
    await uses.note([{ apiKeyId: id, usedAtMs: at - 3_600_000 }]);
    expect(await version()).toEqual(written);
    await scene.console.sql(`UPDATE api_keys SET last_used_at = last_used_at - interval '1 hour' WHERE id = $1`, [id]);
    const later = new ApiKeyUsesService(scene.stack.api.get(ApiKeysRepository));
    await later.note([{ apiKeyId: id, usedAtMs: at }]);
    expect(await lastUsed()).toBe(hour);
    // The clock of this process is ahead.
    await later.note([{ apiKeyId: id, usedAtMs: at + 7_200_000 }]);
    expect(Date.parse((await lastUsed()) ?? '')).toBeLessThan(Date.parse(hour ?? '') + 7_200_000);
  });

  it('show their last use also if the process that served it stops at once', async () => {
    const { body } = await issue({ name: 'last' });
    const api = await scene.stack.startApi();
    expect((await new Client(scene.stack.urlOf(api), body.key).get('/v1/wallet')).status).toBe(200);
    await api.close();
    await eventually(list, (all) => all.some(({ id, last_used_at: at }) => id === body.api_key.id && at !== null));
  });

  it('are revoked with a reason, for good', async () => {
    const { body } = await issue();
    const path = `${keys()}/${body.api_key.id}`;
    expect((await admin.browser.send('DELETE', path)).status).toBe(400);
    const support = await scene.console.signedIn('support');
    const revoked = await support.browser.send<KeyBody>('DELETE', `${path}?reason=published`);
    expect([revoked.status, revoked.body.state]).toEqual([200, 'revoked']);
    await eventually(
      () => worksAt(body.key),
      (status) => status === 401,
    );
    expect((await support.browser.send<KeyBody>('DELETE', `${path}?reason=twice`)).status).toBe(200);
    expect((await logged()).filter((action) => action === 'api_key.revoke')).toHaveLength(1);
    expect((await admin.browser.post(`${path}/rotation`, { overlap_seconds: 0 })).status).toBe(409);
  });

  it('of another merchant are 404', async () => {
    const { body } = await issue();
    const other = await scene.stack.merchant();
    const path = `${keys(other.id)}/${body.api_key.id}`;
    const answers = [
      await admin.browser.send('DELETE', `${path}?reason=mine`),
      await admin.browser.post(`${path}/rotation`, { overlap_seconds: 0 }),
      await admin.browser.post(`${keys()}/99999999999/rotation`, { overlap_seconds: 0 }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await worksAt(body.key)).toBe(200);
  });

  it('give access, so issuing them must be confirmed again', async () => {
    const operator = await unconfirmed();
    const before = await list();
    const answers = [
      await issue({}, undefined, operator),
      await operator.browser.post<ErrorBody>(`${keys()}/${before[0]?.id}/rotation`, { overlap_seconds: 0 }),
    ];
    for (const { status, body } of answers)
      expect([status, body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect(withoutLastUse(await list())).toEqual(withoutLastUse(before));
  });
});

describe('prices', () => {
  const path = (sku: string): string => `/api/merchants/${merchant.id}/prices/${sku}`;
  const list = async (query: string, { browser } = admin): Promise<PriceBody[]> =>
    (await browser.get<{ data: PriceBody[] }>(`/api/merchants/${merchant.id}/prices?${query}`)).body.data;
  const set = (sku: string, body: object): Promise<{ status: number; body: PriceBody & ErrorBody }> =>
    admin.browser.send('PUT', path(sku), body);

  it('are set and cleared only if they are still as shown', async () => {
    const sku = await scene.stack.product('35.00');
    const { status, body } = await set(sku, { price: '31.50', expected_price: 'none' });
    expect([status, body]).toMatchObject([
      200,
      { sku, list_price: '35.00', own_price: '31.50', price: '31.50', discount: '3.50' },
    ]);
    // A repetition changes nothing. Another price, based on the old view, is refused.
    expect((await set(sku, { price: '31.50', expected_price: 'none' })).status).toBe(200);
    const late = await set(sku, { price: '30.00', expected_price: 'none' });
    expect([late.status, late.body.details?.[0]?.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    const stale = await admin.browser.send('DELETE', `${path(sku)}?expected_price=30.00`);
    expect(stale.status).toBe(409);
    const order = await scene.stack.order(merchant, [{ sku }]);
    expect(order.total_amount).toBe('31.50');
    const cleared = await admin.browser.send<PriceBody>('DELETE', `${path(sku)}?expected_price=31.50`);
    expect(cleared.body).toMatchObject({ own_price: null, price: '35.00' });
    expect((await logged()).slice(-2)).toEqual(['price.set', 'price.clear']);
    await scene.stack.orderWith(merchant, order.reference_id, 'completed');
  });

  it('are never above the list price, and only of existing products and merchants', async () => {
    const sku = await scene.stack.product('35.00');
    expect((await set(sku, { price: '35.01' })).status).toBe(400);
    expect((await set(sku, { price: '-1.00' })).status).toBe(400);
    expect((await set(sku, { price: '1.00', expected_price: 'some' })).status).toBe(400);
    expect((await set('NO-SUCH', { price: '1.00' })).status).toBe(404);
    expect((await set('x'.repeat(65), { price: '1.00' })).status).toBe(404);
  });

  it('are listed by SKU, with costs only for operators with the permission', async () => {
    const part = unique('LISTED').toUpperCase();
    for (const letter of ['C', 'A', 'B']) await scene.stack.product('35.00', { sku: `${part}-${letter}` });
    await set(`${part}-B`, { price: '30.00' });
    expect((await list(`q=${part.toLowerCase()}`)).map(({ sku }) => sku)).toEqual(
      ['A', 'B', 'C'].map((letter) => `${part}-${letter}`),
    );
    expect((await list(`q=${part}&own=true`)).map(({ sku }) => sku)).toEqual([`${part}-B`]);
    await scene.console.sql(
      `UPDATE supplier_offers SET cost_micros = 31000000, cost_currency = 'THB', cost_at = now()
       FROM products p WHERE p.id = product_id AND p.sku = $1`,
      [`${part}-B`],
    );
    const [shown] = await list(`q=${part}-B`);
    expect(shown).toMatchObject({ price: '30.00', cost: '31.00', margin: '-1.00' });
    const catalog = await scene.console.signedIn('catalog');
    expect((await list(`q=${part}-B`, catalog))[0]).toMatchObject({ cost: null, margin: null });
    const [first] = await list(`q=${part}-A`);
    expect(first).toMatchObject({ own_price: null, discount: '0.00' });
  });
});
