import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { Hooks } from '../webhooks/support.js';
import { codeOf, PASSWORD, type TestOperator } from './console-stack.js';
import { everyOperation, fill } from './operations.js';
import { waitingPayment } from './deposits/deposits-desk.js';
import { startScene, type Scene } from './scene.js';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.close());

describe('an answer', () => {
  it('never contains a password, a session, a sealed secret, a hash or a link', async () => {
    const { console, stack, merchant, sku } = scene;
    const webhook = await new Hooks(merchant).register('http://127.0.0.1:9/');
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const admin = await console.withSecondFactor('admin');
    const ofDeposits = await waitingPayment(scene, admin);
    const { body: job } = await admin.browser.post<{ id: number }>('/api/jobs', { kind: 'audit' });
    await eventually(
      async () => (await admin.browser.get<{ state: string }>(`/api/jobs/${job.id}`)).body.state,
      (state) => state === 'succeeded',
    );
    const { link } = await console.operators.create({
      email: 'linked@shop.example',
      name: 'L',
      role: 'viewer',
    });
    const secrets = [
      webhook.secret ?? '',
      PASSWORD,
      'argon2',
      link.split('#')[1] ?? '',
      admin.secret ?? '',
      ...admin.recoveryCodes,
      ...[...admin.browser.cookies.values()].map((value) => decodeURIComponent(value).slice(2, 34)),
      ...(await columns(admin.id)),
    ];
    for (const { method, path } of everyOperation(console.app).filter((each) => each.method === 'GET')) {
      const address = path
        .replace('/deposits/{number}', `/deposits/${ofDeposits.deposit}`)
        .replace('/payments/{id}', `/payments/${ofDeposits.payment}`)
        .replace('/channels/{code}', `/channels/${ofDeposits.channel}`)
        .replace('{number}', order.order_number)
        .replace('{id}', String(merchant.id))
        .replace('{sku}', sku)
        .replace('{code}', 'fake')
        .replace(/\/balances$/, '/balances?from=2026-01-01T00:00:00Z')
        .replace(/\/statement\.\w+$/, '$&?month=2026-01')
        .concat(path === '/api/search' ? `?q=${order.order_number}` : '');
      const { status, body } = await admin.browser.get(address);
      expect([method, address, status]).toEqual([method, address, 200]);
      const answer = typeof body === 'string' ? body : JSON.stringify(body);
      for (const secret of secrets)
        expect([address, secret, answer.includes(secret)]).toEqual([address, secret, false]);
    }
  });

  async function columns(id: number): Promise<string[]> {
    const rows = await scene.console.sql<{ secret: Buffer }>(
      `SELECT totp_sealed AS secret FROM operators WHERE id = $1
       UNION ALL SELECT id_hash FROM operator_sessions WHERE operator_id = $1
       UNION ALL SELECT code_hash FROM operator_recovery_codes WHERE operator_id = $1`,
      [id],
    );
    expect(rows.length).toBeGreaterThan(11);
    return rows.flatMap(({ secret }) => [secret.toString('hex'), secret.toString('base64')]);
  }
});

describe('a request that changes something', () => {
  /** The operator's entries of the audit log. Workers have some of their own. */
  const entriesOf = async ({ email }: TestOperator): Promise<number> => {
    const of = 'SELECT count(*) FROM operator_actions WHERE operator = $1';
    const [row] = await scene.console.sql<{ count: bigint }>(of, [email]);
    return Number(row?.count);
  };

  /** Sends a request that succeeds. @returns the number of entries that it added to the audit log. */
  async function logged(operator: TestOperator, method: string, path: string, body?: object): Promise<number> {
    const before = await entriesOf(operator);
    const { status } = await operator.browser.send(method, path, body);
    expect([method, path, status]).toEqual([method, path, expect.any(Number)]);
    expect(status).toBeLessThan(300);
    return (await entriesOf(operator)) - before;
  }

  it('adds one entry to the audit log, or none if it is refused', async () => {
    const { console, stack, merchant, sku } = scene;
    await stack.stopWorkers();
    const { order_number: number } = await stack.order(merchant, [{ sku, quantity: 2 }]);
    await stack.startWorker();
    const operator = await console.operator('admin');
    const { browser, email } = operator;
    expect(await logged(operator, 'POST', '/api/session', { email, password: PASSWORD })).toBe(1);
    expect(await logged(operator, 'PATCH', '/api/me', { timezone: 'UTC' })).toBe(1);
    const change = { password: PASSWORD, new_password: 'a quite different passphrase' };
    expect(await logged(operator, 'POST', '/api/me/password', change)).toBe(1);
    const { body: offer } = await browser.post<{ secret: string }>('/api/me/second-factor');
    const code = await codeOf(offer.secret);
    expect(await logged(operator, 'PUT', '/api/me/second-factor', { code })).toBe(1);
    expect(await logged(operator, 'DELETE', '/api/me/second-factor')).toBe(1);
    expect(await logged(operator, 'POST', `/api/orders/${number}/notes`, { text: 'a note' })).toBe(1);
    const before = await entriesOf(operator);
    for (const { method, path } of everyOperation(console.app)) {
      if (method === 'GET' || /session|set-up|second-factor|password/.test(path)) continue;
      const { status } = await browser.send(method, fill(path), { nothing: true });
      expect([method, path, status]).not.toEqual([method, path, 200]);
    }
    expect((await entriesOf(operator)) - before).toBe(0);
    expect(await logged(operator, 'DELETE', '/api/session')).toBe(1);
  });
});
