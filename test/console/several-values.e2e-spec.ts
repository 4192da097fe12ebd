import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import type { ErrorBody } from '../support/http.js';
import type { TestMerchant } from '../support/stack.js';
import type { TestOperator } from './console-stack.js';
import { contradict, inDoubt, startScene, type Scene } from './scene.js';

type Listed = Record<string, unknown>;

let scene: Scene;
let admin: TestOperator;
let other: TestMerchant;

const read = async (path: string, query: string): Promise<string[]> => {
  const { status, body } = await admin.browser.get<{ data: Listed[] } & ErrorBody>(`${path}?${query}`);
  if (status !== 200) throw new Error(`${path}?${query}: ${JSON.stringify(body)}`);
  return body.data.map((each) => String(each.id ?? each.order_number ?? each.sku)).sort();
};

/** Two entries for each list, which differ in each filter of the list. */
beforeAll(async () => {
  scene = await startScene({ CONSOLE_APPROVAL_ABOVE: '1000.00', SUPPLIER_QUIET_PERIOD_MS: '600000' });
  admin = await scene.console.signedIn('admin');
  const { stack, console, merchant, sku } = scene;
  other = await stack.merchant('1000.00');
  await stack.addSupplier('second', stack.supplier.url);
  for (const [client, retries] of [
    [merchant.client, 0],
    [other.client, 5],
  ] as const) {
    const url = 'http://127.0.0.1:9/nobody-listens';
    await client.post('/v1/merchant-webhooks', { url, max_retries: retries, retry_delay: 86_400 });
  }
  for (const code of ['INVALID_PLAYER', 'OUT_OF_STOCK'] as const) {
    stack.supplier.script(code, ({ reference }) => refused(reference, code));
    const failed = await stack.order(merchant, [{ sku }], code);
    await stack.orderWith(merchant, failed.reference_id, 'failed');
  }
  const bought = await stack.order(other, [{ sku: await stack.product('35.00', { supplier: 'second' }) }]);
  await stack.orderWith(other, bought.reference_id, 'completed');
  await inDoubt(scene, admin);
  await inDoubt(scene, admin, { supplier: 'second' });
  await contradict(scene);
  await console.sql(
    `INSERT INTO supplier_reversals (supplier_id, kind, attempt, reference, created_at)
     SELECT id, 'unknown_purchase', NULL, 'strange', now() FROM suppliers WHERE code = 'second'`,
  );
  const asked = [merchant, other].map(({ id }) =>
    admin.browser.post<{ id: number }>('/api/approvals', {
      merchant_id: id,
      kind: 'credit',
      amount: '2000.00',
      reference: 'bank-1',
      reason: 'ticket 7',
    }),
  );
  const [first] = await Promise.all(asked);
  await admin.browser.post(`/api/approvals/${first?.body.id}/rejection`, { reason: 'no such transfer' });
  for (const code of ['fake', 'second']) {
    await admin.browser.post(`/api/suppliers/${code}/pause`, { reason: 'trial' });
    await admin.browser.send('DELETE', `/api/suppliers/${code}/pause`);
  }
  // Those of the other merchant are attempted again a day later.
  await eventually(
    () => read('/api/deliveries', `status=pending&merchant=${merchant.id}`),
    (pending) => pending.length === 0,
  );
  await console.sql(`UPDATE merchants SET status = 'suspended' WHERE id = $1`, [other.id]);
  await console.sql(`UPDATE webhooks SET status = 'inactive' WHERE merchant_id = $1`, [other.id]);
});
afterAll(() => scene.close());

const merchants = (): string[] => [String(scene.merchant.id), String(other.id)];

describe('a filter with two values, and a comma between', () => {
  it.each<[path: string, filter: string, values: string[] | (() => string[])]>([
    ['/api/orders', 'status', ['completed', 'failed']],
    ['/api/orders', 'status', ['failed', 'processing']],
    ['/api/orders', 'merchant', merchants],
    ['/api/orders', 'supplier', ['fake', 'second']],
    ['/api/orders', 'failure', ['INVALID_PLAYER', 'OUT_OF_STOCK']],
    ['/api/review', 'supplier', ['fake', 'second']],
    ['/api/merchants', 'status', ['active', 'suspended']],
    ['/api/approvals', 'status', ['open', 'withdrawn']],
    ['/api/approvals', 'merchant', merchants],
    ['/api/products', 'supplier', ['fake', 'second']],
    ['/api/reversals', 'supplier', ['fake', 'second']],
    ['/api/webhooks', 'status', ['active', 'inactive']],
    ['/api/webhooks', 'merchant', merchants],
    ['/api/deliveries', 'status', ['failed', 'pending']],
    ['/api/deliveries', 'event', ['order.completed', 'order.failed']],
    ['/api/deliveries', 'merchant', merchants],
    ['/api/log', 'action', ['approval.request', 'supplier.pause']],
    ['/api/log', 'merchant', merchants],
    ['/api/log', 'supplier', ['fake', 'second']],
  ])('finds in %s what has either %s: %j', async (path, filter, given) => {
    const values = typeof given === 'function' ? given() : given;
    const [one = [], two = []] = await Promise.all(values.map((value) => read(path, `${filter}=${value}`)));
    expect([one.length > 0, two.length > 0]).toEqual([true, true]);
    expect(one.filter((each) => two.includes(each))).toEqual([]);
    expect(await read(path, `${filter}=${values.join(',')}`)).toEqual([...one, ...two].sort());
  });

  it('finds webhooks that fail or are inactive', async () => {
    await scene.console.sql(
      `UPDATE webhook_deliveries SET created_at = now() - interval '2 hours' WHERE status = 'failed'`,
    );
    const [failing, inactive] = await Promise.all(
      ['failing', 'inactive'].map((each) => read('/api/webhooks', `status=${each}`)),
    );
    expect(failing).toHaveLength(1);
    expect(await read('/api/webhooks', 'status=failing,inactive')).toEqual(
      [...(failing ?? []), ...(inactive ?? [])].sort(),
    );
    expect(await read('/api/webhooks', 'status=failing,active')).toEqual(await read('/api/webhooks', 'status=active'));
  });

  it('is refused if one of them is no value of the filter', async () => {
    for (const query of ['status=failed,lost', 'status=failed,', 'status=failed&status=completed', 'merchant=1,x']) {
      const { status, body } = await admin.browser.get<ErrorBody>(`/api/orders?${query}`);
      expect([query, status]).toEqual([query, 400]);
      expect(body.details?.[0]?.code).toBe('INVALID_VALUE');
    }
    const many = Array.from({ length: 21 }, (_, index) => index + 1).join(',');
    expect((await admin.browser.get<ErrorBody>(`/api/orders?merchant=${many}`)).body.message).toContain('at most 20');
  });
});
