import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { refused } from '../support/fake-supplier.js';
import { unique } from '../support/stack.js';
import type { ErrorBody } from '../support/http.js';
import type { TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface Detail {
  code: string;
  adapter: string;
  base_url: string;
  credentials: string[];
  options: Record<string, string>;
  timeout_ms: number;
  max_in_flight: number | null;
  low_balance: string | null;
  updated_at: string;
}

let scene: Scene;
let admin: TestOperator;
beforeAll(async () => {
  scene = await startScene();
  admin = await scene.console.signedIn('admin');
});
afterAll(() => scene.close());

const pathOf = (code: string): string => `/api/suppliers/${encodeURIComponent(code)}`;
const show = async (code: string): Promise<Detail> => (await admin.browser.get<Detail>(pathOf(code))).body;
const set = (code: string, body: object, { browser } = admin): Promise<{ status: number; body: Detail & ErrorBody }> =>
  browser.send('PUT', pathOf(code), body);

const DIGI = {
  adapter: 'digiflazz',
  credentials: { username: 'shop', key: 'dev-4711' },
  options: { testing: 'true' },
  timeout_ms: 8_000,
};

const entriesOf = (code: string): Promise<{ operator: string; action: string; detail: Record<string, unknown> }[]> =>
  scene.console.sql(
    `SELECT operator, action, detail FROM operator_actions WHERE detail->>'code' = $1 AND source = 'console' ORDER BY id`,
    [code],
  );

describe('adapters', () => {
  it('list their credentials, options and capabilities', async () => {
    const { body } = await admin.browser.get<{ data: { adapter: string }[] }>('/api/suppliers/adapters');
    expect(body.data.map(({ adapter }) => adapter)).toEqual(expect.arrayContaining(['http', 'digiflazz']));
    expect(body.data.find(({ adapter }) => adapter === 'digiflazz')).toMatchObject({
      base_url: 'https://api.digiflazz.com/v1',
      currency: 'IDR',
      credentials: [
        { name: 'username', secret: false, required: true },
        { name: 'key', secret: true, required: true },
        { name: 'webhook_secret', secret: true, required: false },
      ],
      options: [{ name: 'testing', values: ['true', 'false'] }],
    });
  });
});

describe('a supplier', () => {
  it('is added and changed; absent credentials stay, and none is shown or logged', async () => {
    const added = await set('digi', { ...DIGI, expected_updated_at: null });
    expect([added.status, added.body]).toMatchObject([
      200,
      {
        code: 'digi',
        base_url: 'https://api.digiflazz.com/v1',
        credentials: ['username', 'key'],
        options: { testing: 'true' },
        timeout_ms: 8_000,
        max_in_flight: null,
        low_balance: null,
      },
    ]);
    const { body } = await set('digi', {
      adapter: 'digiflazz',
      timeout_ms: 9_000,
      max_in_flight: 4,
      low_balance: '500000',
      options: { testing: null },
      credentials: { key: 'prod-0815', webhook_secret: 'hush-hush' },
      expected_updated_at: added.body.updated_at,
      reason: 'production',
    });
    expect(body).toMatchObject({
      credentials: ['username', 'key', 'webhook_secret'],
      options: {},
      timeout_ms: 9_000,
      max_in_flight: 4,
      low_balance: '500000',
    });
    const entries = await entriesOf('digi');
    expect(entries).toMatchObject([
      { operator: admin.email, action: 'supplier.set', detail: { before: null, timeout_ms: 8_000 } },
      {
        detail: {
          reason: 'production',
          timeout_ms: 9_000,
          low_balance: '500000',
          options: {},
          credentials: { key: 'replaced', webhook_secret: 'replaced' },
          before: { timeout_ms: 8_000, low_balance: null, options: { testing: 'true' } },
        },
      },
    ]);
    const shown = JSON.stringify([entries, await show('digi')]);
    for (const secret of ['dev-4711', 'prod-0815', 'hush-hush']) expect(shown).not.toContain(secret);
  });

  it('moves to another host only with its secrets typed again, so that no operator can send stored secrets to their own host', async () => {
    await set('stays', { ...DIGI, expected_updated_at: null });
    const now = async (): Promise<object> => ({ expected_updated_at: (await show('stays')).updated_at });
    const elsewhere = { ...DIGI, base_url: 'https://digi.example/v1', credentials: {} };
    const { status, body } = await set('stays', { ...elsewhere, ...(await now()) });
    expect([status, body.details?.[0]]).toMatchObject([
      400,
      {
        field: 'credentials',
        code: 'REQUIRED',
        message: 'enter key again for another host: the service does not send stored secrets to it',
      },
    ]);
    expect((await show('stays')).base_url).toBe('https://api.digiflazz.com/v1');
    const atHome = { ...elsewhere, base_url: 'https://api.digiflazz.com/v2', ...(await now()) };
    expect((await set('stays', atHome)).status).toBe(200);
    const anew = await set('stays', {
      ...elsewhere,
      credentials: { key: 'prod-4712' },
      ...(await now()),
    });
    expect([anew.status, anew.body.base_url]).toEqual([200, 'https://digi.example/v1']);
  });

  it('that another operator changed meanwhile is not changed', async () => {
    const { updated_at: at } = (await set('race', { ...DIGI, expected_updated_at: null })).body;
    const change = { adapter: 'digiflazz', timeout_ms: 7_000, expected_updated_at: at };
    const answers = await Promise.all([set('race', change), set('race', { ...change, timeout_ms: 6_000 })]);
    expect(answers.map(({ status }) => status).sort((one, other) => one - other)).toEqual([200, 409]);
    const late = await set('race', { ...DIGI, expected_updated_at: null });
    expect([late.status, late.body.details?.[0]?.code]).toEqual([409, 'CHANGED_MEANWHILE']);
    expect(await entriesOf('race')).toHaveLength(2);
  });

  it('is changed only shortly after a confirmation by code or password', async () => {
    const tired = await scene.console.signedIn('admin');
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [tired.id],
    );
    const answers = [
      await set('later', { ...DIGI, expected_updated_at: null }, tired),
      await tired.browser.send<ErrorBody>('DELETE', pathOf('fake')),
    ];
    for (const { status, body } of answers)
      expect([status, body.details?.[0]?.code]).toEqual([403, 'CONFIRMATION_REQUIRED']);
    expect((await admin.browser.get(pathOf('later'))).status).toBe(404);
  });

  it.each([
    [{ adapter: 'nothing', timeout_ms: 1_000 }, 'adapter must be one of'],
    [{ adapter: 'http', timeout_ms: 1_000 }, 'a base URL is required'],
    [{ adapter: 'http', timeout_ms: 1_000, base_url: 'https://u:p@acme.example' }, 'the base URL must be'],
    [{ ...DIGI, credentials: { username: 'shop' } }, 'requires the credentials key'],
    [{ ...DIGI, credentials: { ...DIGI.credentials, pin: 's3cr3t' } }, 'has no credential pin'],
    [{ ...DIGI, credentials: { key: { nested: 's3cr3t' } } }, 'credentials must have texts'],
    [{ ...DIGI, options: { testing: 'maybe' } }, 'must be one of true, false'],
    [{ ...DIGI, low_balance: '-1' }, 'low_balance must be an amount'],
    [{ ...DIGI, timeout_ms: 600_000 }, 'timeout'],
  ])('is not changed to invalid settings: %j', async (body, words) => {
    const answer = await set('wrong', { ...body, expected_updated_at: null });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(words)]);
    expect(JSON.stringify(answer.body)).not.toContain('s3cr3t');
    expect((await admin.browser.get(pathOf('wrong'))).status).toBe(404);
  });

  it('is changed despite open units only if the operator confirms that', async () => {
    const { stack, merchant, sku } = scene;
    const user = unique('doubtful');
    stack.supplier.script(user, () => ({ status: 500, body: {} }));
    const order = await stack.order(merchant, [{ sku }], user);
    await stack.orderWith(merchant, order.reference_id, 'processing');
    const { base_url: home, updated_at } = await show('fake');
    const moved = { adapter: 'http', timeout_ms: 10_000, base_url: `${home}/elsewhere` };
    const first = await set('fake', { ...moved, expected_updated_at: updated_at });
    expect([first.status, first.body.details?.[0]?.code]).toEqual([409, 'UNITS_LEFT_BEHIND']);
    expect((await show('fake')).base_url).toBe(home);
    const second = await set('fake', { ...moved, leave_units: true, expected_updated_at: updated_at });
    expect([second.status, second.body.base_url]).toEqual([200, `${home}/elsewhere`]);
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const back = { ...moved, base_url: home, leave_units: true };
    expect((await set('fake', { ...back, expected_updated_at: second.body.updated_at })).status).toBe(200);
    await stack.orderWith(merchant, order.reference_id, 'failed');
  });

  it('is removed only if no row refers to it', async () => {
    await set('brief', { ...DIGI, expected_updated_at: null });
    const gone = await admin.browser.send('DELETE', `${pathOf('brief')}?reason=never+used`);
    expect([gone.status, gone.body]).toEqual([200, { code: 'brief' }]);
    expect((await entriesOf('brief')).at(-1)).toMatchObject({
      action: 'supplier.remove',
      detail: { reason: 'never used' },
    });
    const used = await admin.browser.send<ErrorBody>('DELETE', pathOf('fake'));
    expect([used.status, used.body.message]).toEqual([409, expect.stringContaining('in use by 1 offer')]);
  });
});
