import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import type { ErrorBody } from '../support/http.js';
import { ConsoleStack, type TestOperator } from './console-stack.js';
import { startScene, type Scene } from './scene.js';

interface Supplier {
  code: string;
  state: string;
  pause: { reason: string; detail: string | null } | null;
  balance: { amount: string } | null;
  calls: { minutes: number; outcomes: { outcome: string; count: number }[]; p50_ms: number | null };
  breakers: { process: string; state: string; in_flight: number }[];
  queue: { due: number; oldest_at: string | null };
  open_units: { open: number; in_doubt: number };
  waiting: { merchant_id: number; merchant: string; weight: number; units: number; oldest_at: string }[];
  callback_url: string | null;
  credentials: string[];
}

let scene: Scene;
let support: TestOperator;
/** Another process of the console. */
let beside: ConsoleStack;
beforeAll(async () => {
  scene = await startScene();
  const { DATABASE_URL, secretsKey } = scene.stack.config;
  beside = await ConsoleStack.start({ DATABASE_URL, SECRETS_KEY: secretsKey?.toString('base64') ?? '' });
  support = await scene.console.signedIn('support');
});
afterAll(async () => {
  await beside.close();
  await scene.close();
});

const show = async (): Promise<Supplier> => (await support.browser.get<Supplier>('/api/suppliers/fake')).body;

/** Has the last test of the supplier keep others from testing it until then. */
const testedUntil = (moment: string): Promise<unknown> =>
  scene.console.sql(`UPDATE suppliers SET test_asked_until = ${moment} WHERE code = 'fake'`);

describe('suppliers', () => {
  it('show their calls, workers, queue and balance', async () => {
    const { stack, merchant, sku } = scene;
    const order = await stack.order(merchant, [{ sku, quantity: 2 }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const { body } = await eventually(
      () => support.browser.get<{ data: Supplier[] }>('/api/suppliers'),
      ({ body: { data } }) =>
        data.some(({ calls, breakers }) => calls.outcomes.some(({ count }) => count >= 2) && breakers.length > 0),
    );
    expect(body.data).toEqual([
      expect.objectContaining({
        code: 'fake',
        state: 'well',
        pause: null,
        queue: { due: 0, oldest_at: null },
        breakers: [expect.objectContaining({ state: 'closed', process: expect.stringMatching(/^worker@/) })],
      }),
    ]);
    expect(body.data[0]?.calls.outcomes).toEqual([{ outcome: 'succeeded', count: 2 }]);
    expect(body.data[0]?.calls.p50_ms).toBeGreaterThan(0);
  });

  it('say how many units of each merchant wait there', async () => {
    const { stack, merchant, sku } = scene;
    await stack.stopWorkers();
    const other = await stack.merchant();
    await stack.sql('UPDATE merchants SET weight = 3 WHERE id = $1', [other.id]);
    const orders = [await stack.order(merchant, [{ sku }]), await stack.order(other, [{ sku, quantity: 2 }])];
    const { waiting } = await show();
    expect(waiting).toMatchObject([
      { merchant_id: other.id, merchant: expect.any(String), weight: 3, units: 2 },
      { merchant_id: merchant.id, weight: 1, units: 1 },
    ]);
    expect(Date.parse(waiting[0]?.oldest_at ?? '')).toBeGreaterThan(Date.parse(waiting[1]?.oldest_at ?? ''));
    await stack.startWorker();
    for (const [index, by] of [merchant, other].entries())
      await stack.orderWith(by, orders[index]?.reference_id ?? '', 'completed');
    expect((await show()).waiting).toEqual([]);
  });

  it('are paused and resumed, with operator and reason in the audit log', async () => {
    const { stack, merchant, sku, console } = scene;
    const paused = await support.browser.post<Supplier>('/api/suppliers/fake/pause', {
      reason: 'until 14:00',
    });
    expect([paused.status, paused.body.state, paused.body.pause]).toMatchObject([
      200,
      'paused',
      { reason: 'operator', detail: 'until 14:00' },
    ]);
    const entries = await console.sql(
      `SELECT operator, source, action, detail->>'reason' AS reason FROM operator_actions WHERE action LIKE 'supplier.%' AND action <> 'supplier.test'`,
    );
    expect(entries).toEqual([
      { operator: support.email, source: 'console', action: 'supplier.pause', reason: 'until 14:00' },
    ]);
    await expect(stack.order(merchant, [{ sku }])).rejects.toThrow('PRODUCT_UNAVAILABLE');
    const resumed = await support.browser.send<Supplier>('DELETE', '/api/suppliers/fake/pause');
    expect([resumed.status, resumed.body.state, resumed.body.pause]).toEqual([200, 'well', null]);
  });

  it('are not paused without a reason', async () => {
    const { status, body } = await support.browser.post<ErrorBody>('/api/suppliers/fake/pause', {});
    expect([status, body.details?.[0]?.field]).toEqual([400, 'reason']);
    expect((await show()).state).toBe('well');
  });

  it('are tested without a purchase, each check on its own, once in ten seconds for all operators together', async () => {
    const { browser: other } = await scene.console.signedIn('catalog');
    const test = ({ browser }: Pick<TestOperator, 'browser'>) =>
      browser.post<{ ok: boolean; checks: object[] }>('/api/suppliers/fake/test');
    const elsewhere = await beside.signedIn('catalog');
    let tested = 0;
    const round = async () => {
      await testedUntil('now()');
      const atOnce = await Promise.all([test(support), test({ browser: other }), test(support)]);
      const all = [...atOnce, await test({ browser: other }), await test(elsewhere)];
      tested += all.filter(({ status }) => status === 200).length;
      return all;
    };
    // Repeated if the machine was so slow that one came ten seconds after another.
    const answers = await eventually(round, (all) => all.filter(({ status }) => status === 200).length === 1);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.map(({ headers }) => Number(headers.get('retry-after')) > 0)).toEqual(Array(4).fill(true));
    const { body } = answers.find(({ status }) => status === 200) ?? { body: { ok: false, checks: [] } };
    expect(body.checks[0]).toEqual({ name: 'settings', ok: true, finding: 'complete', detail: null });
    expect(body.checks[1]).toMatchObject({ name: 'balance' });
    expect(body.ok).toBe(true);
    expect((await test(await scene.console.signedIn('viewer'))).status).toBe(403);
    const entries = await scene.console.sql(
      `SELECT source, detail FROM operator_actions WHERE action = 'supplier.test'`,
    );
    expect(entries).toEqual(Array(tested).fill({ source: 'console', detail: { code: 'fake', ok: true } }));
  });

  it('are tested again after ten seconds, even if the process of the last test ended', async () => {
    const test = () => support.browser.post('/api/suppliers/fake/test');
    const early = async (): Promise<string | null> => {
      await testedUntil(`now() + interval '9 seconds'`);
      return (await test()).headers.get('retry-after');
    };
    // Repeated if the machine was so slow that they were over.
    expect(await eventually(early, (seconds) => seconds !== null)).toMatch(/^[1-9]$/);
    await testedUntil('now()');
    expect((await test()).status).toBe(200);
    const [turn] = await scene.console.sql(
      `SELECT test_asked_until <= now() + interval '10 seconds' AS is_short FROM suppliers WHERE code = 'fake'`,
    );
    expect(turn).toEqual({ is_short: true });
  });

  it('without a catalogue show this', async () => {
    const { browser } = await scene.console.signedIn('catalog');
    const { status, body } = await browser.post<ErrorBody>('/api/suppliers/fake/sync', { dry_run: true });
    expect([status, body.message]).toEqual([400, expect.stringContaining('reads no catalogue')]);
    const list = await browser.get<{ data: object[] }>('/api/suppliers/fake/products?unmapped=true');
    expect([list.status, list.body.data]).toEqual([200, []]);
  });

  it('show balances over time', async () => {
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const listed = await support.browser.get<{ data: { amount: string }[] }>(
      `/api/suppliers/fake/balances?from=${from}`,
    );
    expect(listed.status).toBe(200);
    expect(listed.body.data.every(({ amount }) => /^\d+\.\d{2,}$/.test(amount))).toBe(true);
  });

  it.each(['', '/balances?from=2026-01-01T00:00:00Z', '/products'])(
    'that are not there are 404: nobody%s',
    async (path) => {
      expect((await support.browser.get(`/api/suppliers/nobody${path}`)).status).toBe(404);
    },
  );
});
