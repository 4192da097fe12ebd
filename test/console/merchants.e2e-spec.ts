import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NOON_ZONE } from '../support/days.js';
import type { ErrorBody } from '../support/http.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { unique } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface MerchantBody {
  id: number;
  name: string;
  status: string;
  sandbox: boolean;
  today: { orders: number; failed: number };
  last_order_at: string | null;
  wallet: { available_amount: string; held_amount: string; is_low: boolean } | null;
}
interface ListBody<Item> {
  data: Item[];
  next_cursor: string | null;
}

let scene: Scene;
let finance: TestOperator;
let admin: TestOperator;
beforeAll(async () => {
  scene = await startScene({ CONSOLE_TIMEZONE: NOON_ZONE });
  finance = await scene.console.signedIn('finance');
  admin = await scene.console.signedIn('admin');
});
afterAll(() => scene.close());

interface LogBody {
  id: number;
  action: string;
  operator: string;
  reason: string | null;
  detail: Record<string, unknown>;
}

const logOf = async (id: number, { browser } = admin): Promise<LogBody[]> =>
  (await browser.get<ListBody<LogBody>>(`/api/log?merchant=${id}`)).body.data;

describe('merchants', () => {
  it('are listed in pages with their balances, which viewers do not see', async () => {
    const others = [await scene.stack.merchant('0.00'), await scene.stack.merchant('20.00')];
    const seen: MerchantBody[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await finance.browser.get<ListBody<MerchantBody>>(`/api/merchants?limit=2${query}`);
      seen.push(...body.data);
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen.map(({ id }) => id)).toEqual([scene.merchant.id, ...others.map(({ id }) => id)]);
    expect(seen.at(-1)?.wallet).toMatchObject({
      available_amount: '20.00',
      held_amount: '0.00',
      is_low: false,
    });
    const viewer = await scene.console.signedIn('viewer');
    const { body } = await viewer.browser.get<ListBody<MerchantBody>>('/api/merchants');
    expect(body.data.map(({ wallet }) => wallet)).toEqual([null, null, null]);
    expect((await viewer.browser.get<MerchantBody>(`/api/merchants/${scene.merchant.id}`)).body.wallet).toBeNull();
    const named = await finance.browser.get<ListBody<MerchantBody>>(`/api/merchants?q=${seen[1]?.name}`);
    expect(named.body.data.map(({ id }) => id)).toEqual([seen[1]?.id]);
  });

  it('have a statement, newest first', async () => {
    const { stack } = scene;
    const merchant = await stack.merchant('100.00');
    await stack.credit(merchant.id, '5.00');
    const path = `/api/merchants/${merchant.id}`;
    const { body } = await finance.browser.get<ListBody<{ amount: string; available_amount_after: string }>>(
      `${path}/entries`,
    );
    expect(body.data).toMatchObject([
      { amount: '5.00', available_amount_after: '105.00' },
      { amount: '100.00', available_amount_after: '100.00' },
    ]);
    expect((await finance.browser.get(`${path}/wallet`)).body).toMatchObject({ available_amount: '105.00' });
  });

  it('that do not exist are 404', async () => {
    for (const id of ['999999', '0', '-1', 'x', '99999999999'])
      for (const path of [
        `/api/merchants/${id}`,
        `/api/merchants/${id}/wallet`,
        `/api/merchants/${id}/entries`,
        `/api/merchants/${id}/entries.csv`,
        `/api/merchants/${id}/statement.html?month=2026-01`,
        `/api/merchants/${id}/statement.csv?month=2026-01`,
        `/api/merchants/${id}/days`,
        `/api/merchants/${id}/keys`,
        `/api/merchants/${id}/prices`,
      ])
        expect([path, (await finance.browser.get(path)).status]).toEqual([path, 404]);
  });

  it('show whether they are in the sandbox, and their orders of today', async () => {
    const { stack, sku } = scene;
    const sandbox = await stack.sandboxMerchant();
    const busy = await stack.merchant('100.00');
    const user = unique('refused');
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const orders = [await stack.order(busy, [{ sku }]), await stack.order(busy, [{ sku }], user)];
    for (const { reference_id } of orders) await stack.orderWith(busy, reference_id, 'completed', 'failed');
    const { body } = await finance.browser.get<MerchantBody>(`/api/merchants/${busy.id}`);
    expect(body).toMatchObject({ sandbox: false, today: { orders: 2, failed: 1 } });
    expect(body.last_order_at).not.toBeNull();
    const path = '/api/merchants?sandbox=';
    const only = await finance.browser.get<ListBody<MerchantBody>>(`${path}true`);
    expect(only.body.data).toMatchObject([{ id: sandbox.id, sandbox: true, last_order_at: null }]);
    const others = await finance.browser.get<ListBody<MerchantBody>>(`${path}false`);
    expect(others.body.data.map(({ id }) => id)).not.toContain(sandbox.id);
    const days = await finance.browser.get<ListBody<{ day: string; orders: number; failed: number }>>(
      `/api/merchants/${busy.id}/days`,
    );
    expect(days.body.data).toHaveLength(30);
    expect(days.body.data.at(-1)).toMatchObject({ orders: 2, failed: 1 });
    expect(days.body.data.slice(0, -1).every((day) => day.orders === 0)).toBe(true);
  });

  it('are added once by a repeated request', async () => {
    const add = (body: object, key?: string): Promise<{ status: number; body: MerchantBody & ErrorBody }> =>
      admin.browser.post('/api/merchants', body, {
        headers: key === undefined ? {} : { 'idempotency-key': key },
      });
    const name = unique('Mali’s shop');
    const key = unique('request');
    const answers = await Promise.all([add({ name }, key), add({ name }, key), add({ name }, key)]);
    const again = await add({ name }, key);
    expect([...answers, again].map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set([...answers, again].map(({ body }) => body.id)).size).toBe(1);
    expect(again.body).toMatchObject({ name, sandbox: false, wallet: { available_amount: '0.00' } });
    expect(await logOf(again.body.id)).toMatchObject([{ action: 'merchant.create', operator: admin.email }]);
    expect((await add({ name }, 'short')).status).toBe(400);
    for (const body of [{ name: '' }, { name: 'x'.repeat(129) }, {}, { name, sandbox: 'yes' }])
      expect([body, (await add(body)).status]).toEqual([body, 400]);
    const issue = await admin.browser.post(
      `/api/merchants/${again.body.id}/keys`,
      {},
      { headers: { 'idempotency-key': key } },
    );
    expect(issue.status).toBe(409);
    for (const other of [{ name: `${name} 2` }, { name, sandbox: true }]) {
      const { status, body } = await add(other, key);
      expect([status, body.message]).toEqual([409, 'Idempotency-Key was used for something else']);
    }
    expect((await add({ name, sandbox: false }, key)).body.id).toBe(again.body.id);
    expect((await add({ name, sandbox: true })).body).toMatchObject({ sandbox: true });
  });

  it('are suspended and resumed with a reason, once', async () => {
    const { id, client } = await scene.stack.merchant('0.00');
    const path = `/api/merchants/${id}/suspension`;
    expect((await finance.browser.post(path, {})).status).toBe(400);
    const suspend = (): Promise<{ status: number; body: MerchantBody }> =>
      finance.browser.post(path, { reason: 'its key was published' });
    expect((await Promise.all([suspend(), suspend()])).map(({ body }) => body.status)).toEqual([
      'suspended',
      'suspended',
    ]);
    await eventually(
      async () => (await client.get('/v1/wallet')).status,
      (status) => status === 403,
    );
    const resumed = await finance.browser.send<MerchantBody>('DELETE', `${path}?reason=it+has+a+new+one`);
    expect(resumed.body.status).toBe('active');
    expect(await logOf(id)).toMatchObject([
      { action: 'merchant.resume', reason: 'it has a new one' },
      { action: 'merchant.suspend', reason: 'its key was published', operator: finance.email },
    ]);
  });
});
