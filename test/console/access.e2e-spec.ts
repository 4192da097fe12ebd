import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PERMISSIONS, permissionsOf, ROLES, rolesWith, type Permission, type Role } from '../../src/operators/roles.js';
import type { ErrorBody } from '../support/http.js';
import { ConsoleStack, type TestOperator } from './console-stack.js';
import { everyOperation, fill } from './operations.js';

/** The roles that may call each route, as the specification lists them. A route that is not in this table fails the test. */
const ACCESS: Record<string, string> = {
  'POST /api/session': 'anyone',
  'GET /api/session': 'half',
  'DELETE /api/session': 'anyone',
  'POST /api/session/code': 'half',
  'POST /api/session/confirm': 'self',
  'GET /api/session/ways': 'anyone',
  'POST /api/session/company': 'anyone',
  'POST /api/session/company/answer': 'anyone',
  'POST /api/set-up': 'anyone',
  'POST /api/set-up/account': 'anyone',
  'GET /api/me': 'self',
  'PATCH /api/me': 'self',
  'POST /api/me/password': 'self',
  'POST /api/me/second-factor': 'self',
  'PUT /api/me/second-factor': 'self',
  'DELETE /api/me/second-factor': 'self',
  'GET /api/me/sessions': 'self',
  'DELETE /api/me/sessions/{id}': 'self',
  'GET /api/orders': 'orders.read',
  'GET /api/orders.csv': 'exports.run',
  'GET /api/orders/{number}': 'orders.read',
  'POST /api/orders/{number}/notes': 'orders.note',
  'POST /api/orders/{number}/cancellation': 'orders.cancel',
  'POST /api/orders/{number}/units/{unit}/code': 'codes.reveal',
  'POST /api/orders/{number}/units/{unit}/inquire': 'orders.resolve',
  'POST /api/orders/{number}/units/{unit}/resolution': 'orders.resolve',
  'GET /api/review': 'orders.read',
  'POST /api/review/resolution': 'orders.resolve',
  'POST /api/review/resolution/preview': 'orders.resolve',
  'PUT /api/review/{number}/{unit}/claim': 'orders.resolve',
  'DELETE /api/review/{number}/{unit}/claim': 'orders.resolve',
  'GET /api/products': 'products.read',
  'GET /api/products.csv': 'exports.run',
  'GET /api/products/{sku}': 'products.read',
  'PUT /api/products/{sku}': 'products.set',
  'GET /api/products/{sku}/history': 'log.read',
  'GET /api/products/{sku}/sales': 'figures.read',
  'POST /api/products/import/preview': 'products.import',
  'POST /api/products/import': 'products.import',
  'POST /api/products/adjustment/preview': 'products.import',
  'POST /api/products/adjustment': 'products.import',
  'POST /api/prices/import/preview': 'prices.set',
  'POST /api/prices/import': 'prices.set',
  'GET /api/offers': 'products.read',
  'PUT /api/offers': 'offers.set',
  'DELETE /api/offers': 'offers.set',
  'GET /api/fx': 'products.read',
  'POST /api/fx/{currency}/preview': 'fx.set',
  'PUT /api/fx/{currency}': 'fx.set',
  'GET /api/search': 'orders.read',
  'GET /api/log': 'log.read',
  'GET /api/log.csv': 'exports.run',
  'GET /api/figures/business': 'figures.read',
  'GET /api/figures/now': 'figures.read',
  'GET /api/figures/minutes': 'figures.read',
  'GET /api/suppliers': 'suppliers.read',
  'GET /api/suppliers/adapters': 'suppliers.read',
  'GET /api/suppliers/{code}': 'suppliers.read',
  'PUT /api/suppliers/{code}': 'suppliers.set',
  'DELETE /api/suppliers/{code}': 'suppliers.set',
  'GET /api/suppliers/{code}/balances': 'suppliers.read',
  'GET /api/suppliers/{code}/products': 'suppliers.read',
  'GET /api/suppliers/{code}/calls': 'suppliers.read',
  'POST /api/suppliers/{code}/pause': 'suppliers.pause',
  'DELETE /api/suppliers/{code}/pause': 'suppliers.pause',
  'POST /api/suppliers/{code}/test': 'suppliers.pause',
  'POST /api/suppliers/{code}/sync': 'suppliers.sync',
  'GET /api/reversals': 'suppliers.read',
  'POST /api/reversals/{id}/closing': 'reversals.close',
  'POST /api/reversals/{id}/code': 'codes.reveal',
  'GET /api/operators': 'operators.manage',
  'POST /api/operators': 'operators.manage',
  'GET /api/operators/{id}': 'operators.manage',
  'PATCH /api/operators/{id}': 'operators.manage',
  'POST /api/operators/{id}/reset': 'operators.manage',
  'POST /api/operators/{id}/unlock': 'operators.manage',
  'POST /api/operators/{id}/company-sign-in': 'operators.manage',
  'GET /api/operators/{id}/sessions': 'sessions.manage',
  'DELETE /api/operators/{id}/sessions': 'sessions.manage',
  'DELETE /api/operators/{id}/sessions/{session}': 'sessions.manage',
  'GET /api/merchants': 'merchants.read',
  'GET /api/merchants/{id}': 'merchants.read',
  'GET /api/merchants/{id}/wallet': 'wallets.read',
  'GET /api/merchants/{id}/entries': 'statements.read',
  'GET /api/merchants/{id}/entries.csv': 'statements.read',
  'GET /api/merchants/{id}/statement.html': 'statements.read',
  'GET /api/merchants/{id}/statement.csv': 'statements.read',
  'POST /api/merchants': 'merchants.create',
  'GET /api/merchants/{id}/days': 'merchants.read',
  'POST /api/merchants/{id}/suspension': 'merchants.suspend',
  'DELETE /api/merchants/{id}/suspension': 'merchants.suspend',
  'POST /api/merchants/{id}/credits': 'wallets.move',
  'POST /api/merchants/{id}/debits': 'wallets.move',
  'PUT /api/merchants/{id}/alert': 'alerts.set',
  'DELETE /api/merchants/{id}/alert': 'alerts.set',
  'GET /api/merchants/{id}/keys': 'merchants.read',
  'POST /api/merchants/{id}/keys': 'keys.issue',
  'POST /api/merchants/{id}/keys/{key}/rotation': 'keys.rotate',
  'DELETE /api/merchants/{id}/keys/{key}': 'keys.revoke',
  'GET /api/merchants/{id}/prices': 'products.read',
  'PUT /api/merchants/{id}/prices/{sku}': 'prices.set',
  'DELETE /api/merchants/{id}/prices/{sku}': 'prices.set',
  'GET /api/deposits': 'deposits.read',
  'GET /api/deposits/{number}': 'deposits.read',
  'GET /api/payments': 'deposits.read',
  'GET /api/payments/{id}': 'deposits.read',
  'POST /api/payments/{id}/credit': 'payments.decide',
  'POST /api/payments/{id}/return': 'payments.decide',
  'POST /api/payments/{id}/ignore': 'payments.decide',
  'POST /api/payments/{id}/debit': 'payments.decide',
  'POST /api/payments/{id}/keep': 'payments.decide',
  'GET /api/channels': 'deposits.read',
  'GET /api/channels/adapters': 'deposits.read',
  'GET /api/channels/{code}': 'deposits.read',
  'PUT /api/channels/{code}': 'channels.set',
  'DELETE /api/channels/{code}': 'channels.set',
  'POST /api/channels/{code}/pause': 'channels.set',
  'DELETE /api/channels/{code}/pause': 'channels.set',
  'POST /api/channels/{code}/test': 'channels.set',
  'POST /api/channels/{code}/sync': 'payments.decide',
  'GET /api/statements': 'deposits.read',
  'POST /api/statements/preview': 'statements.import',
  'POST /api/statements/import': 'statements.import',
  'GET /api/approvals': 'wallets.read',
  'POST /api/approvals': 'wallets.move',
  'POST /api/approvals/{id}/approval': 'wallets.move',
  'POST /api/approvals/{id}/rejection': 'wallets.move',
  'GET /api/webhooks': 'webhooks.read',
  'POST /api/webhooks/replay/preview': 'webhooks.replay',
  'POST /api/webhooks/replay': 'webhooks.replay',
  'GET /api/webhooks/{id}': 'webhooks.read',
  'GET /api/webhooks/{id}/deliveries': 'webhooks.read',
  'POST /api/webhooks/{id}/test': 'webhooks.test',
  'GET /api/deliveries': 'webhooks.read',
  'GET /api/deliveries.csv': 'exports.run',
  'GET /api/deliveries/{id}': 'webhooks.read',
  'POST /api/deliveries/{id}/retry': 'webhooks.replay',
  'POST /api/jobs': 'operator',
  'GET /api/jobs': 'operator',
  'GET /api/jobs/{id}': 'operator',
  'GET /api/jobs/{id}/csv': 'exports.run',
  'DELETE /api/jobs/{id}': 'operator',
};

/** Section 5: v viewer, s support, c catalog, f finance, a admin. */
const ROLES_OF_PERMISSIONS: Record<Permission, string> = {
  'orders.read': 'vscfa',
  'webhooks.read': 'vscfa',
  'merchants.read': 'vscfa',
  'products.read': 'vscfa',
  'suppliers.read': 'vscfa',
  'figures.read': 'vscfa',
  'players.read': 'sfa',
  'orders.resolve': 'sfa',
  'orders.cancel': 'sfa',
  'codes.reveal': 'sa',
  'reversals.close': 'fa',
  'orders.note': 'scfa',
  'webhooks.replay': 'sa',
  'webhooks.test': 'sa',
  'merchants.suspend': 'sfa',
  'keys.revoke': 'sfa',
  'merchants.create': 'a',
  'merchants.edit': 'a',
  'keys.issue': 'a',
  'keys.rotate': 'a',
  'wallets.read': 'sfa',
  'statements.read': 'sfa',
  'wallets.move': 'fa',
  'alerts.set': 'fa',
  'prices.set': 'cfa',
  'products.set': 'ca',
  'products.import': 'ca',
  'offers.set': 'ca',
  'suppliers.sync': 'ca',
  'fx.set': 'fa',
  'suppliers.pause': 'sca',
  'suppliers.set': 'a',
  'costs.read': 'fa',
  'reports.read': 'fa',
  'reports.run': 'fa',
  'audit.run': 'fa',
  'exports.run': 'scfa',
  'log.read': 'scfa',
  'deposits.read': 'sfa',
  'payments.decide': 'fa',
  'statements.import': 'fa',
  'channels.set': 'a',
  'operators.manage': 'a',
  'sessions.manage': 'a',
};

let console: ConsoleStack;
const operators = new Map<Role, TestOperator>();
beforeAll(async () => {
  console = await ConsoleStack.start();
  for (const role of ROLES) operators.set(role, await console.signedIn(role));
});
afterAll(() => console.close());

describe('permissions', () => {
  it('are those of the table, with its roles', () => {
    const found = PERMISSIONS.map((permission) => [
      permission,
      rolesWith(permission)
        .map((role) => role.slice(0, 1))
        .join(''),
    ]);
    expect(Object.fromEntries(found)).toEqual(ROLES_OF_PERMISSIONS);
    expect(permissionsOf('admin')).toEqual(PERMISSIONS);
  });
});

describe('routes', () => {
  it('are those of the table, each with its roles', () => {
    const found = everyOperation(console.app).map(({ method, path, access }) => [`${method} ${path}`, access]);
    expect(Object.fromEntries(found)).toEqual(ACCESS);
  });

  it.each(Object.entries(ACCESS))('%s is for %s', async (route, access) => {
    const [method = '', path = ''] = route.split(' ');
    const body = method === 'GET' || method === 'DELETE' ? undefined : {};
    const call = async (who: TestOperator | undefined): Promise<string> => {
      // Signing out would end the session that later tests use.
      if (route === 'DELETE /api/session' && who) return 'let in';
      const browser = who?.browser ?? console.browser();
      const { status, body: answer } = await browser.send<ErrorBody>(method, fill(path), body);
      if (status === 401 && answer.message === 'Sign in first') return 'signed out';
      return answer.details?.[0]?.code === 'PERMISSION_REQUIRED' ? 'refused' : 'let in';
    };
    expect(await call(undefined)).toBe(access === 'anyone' ? 'let in' : 'signed out');
    for (const role of ROLES) {
      const isIn = !access.includes('.') || ROLES_OF_PERMISSIONS[access as Permission].includes(role.slice(0, 1));
      expect([role, await call(operators.get(role))]).toEqual([role, isIn ? 'let in' : 'refused']);
    }
  });

  it('that do not exist are 404, and the API answers no page', async () => {
    const { browser } = await console.signedIn();
    const { status, body } = await browser.get<ErrorBody>('/api/nothing');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  });
});

describe('an operator', () => {
  it('is signed out at once when disabled', async () => {
    const [{ browser, email }] = [await console.signedIn('finance')];
    expect((await browser.get('/api/orders')).status).toBe(200);
    await console.operators.disable(email);
    expect((await browser.get('/api/orders')).status).toBe(401);
    await console.operators.enable(email);
    expect((await browser.get('/api/orders')).status).toBe(401);
  });

  it('has the permissions of a new role from the next request on', async () => {
    const { browser, email } = await console.signedIn('support');
    const note = (): Promise<{ status: number }> =>
      browser.post('/api/orders/ord_0000000000000000/notes', { text: 'x' });
    expect((await note()).status).toBe(404);
    await console.operators.setRole(email, 'viewer');
    expect((await note()).status).toBe(403);
  });
});

describe('a set-up link', () => {
  const tokenOf = (link: string): string => link.split('#')[1] ?? '';

  it('sets a password once, and not after a day', async () => {
    const create = (email: string): ReturnType<typeof console.operators.create> =>
      console.operators.create({ email, name: 'New', role: 'viewer' });
    const { link } = await create('new@shop.example');
    const browser = console.browser();
    const setUp = async (token: string, password: string): Promise<number> =>
      (await browser.post('/api/set-up', { token, password })).status;
    const account = async (): Promise<unknown[]> => {
      const { status, body } = await browser.post<{ email?: string }>('/api/set-up/account', { token: tokenOf(link) });
      return [status, body.email];
    };
    expect(await account()).toEqual([200, 'new@shop.example']);
    for (const weak of ['short', 'Unbelievable', 'it is the new one', 'x'.repeat(257)])
      expect([weak, await setUp(tokenOf(link), weak)]).toEqual([weak, 400]);
    expect(await setUp(tokenOf(link), 'four words and more')).toBe(200);
    expect(await setUp(tokenOf(link), 'four words and more')).toBe(404);
    expect(await account()).toEqual([404, undefined]);
    const { link: late, operator } = await create('late@shop.example');
    await console.sql(`UPDATE operators SET set_up_until = now() - interval '1 second' WHERE id = $1`, [operator.id]);
    expect(await setUp(tokenOf(late), 'four words and more')).toBe(404);
    const kept = await console.sql('SELECT row_to_json(o)::text AS row FROM operators o');
    expect(JSON.stringify(kept)).not.toContain(tokenOf(late));
  });

  it('is needed for an account without a password, which no typed password opens', async () => {
    await console.operators.create({ email: 'empty@shop.example', name: 'Empty', role: 'admin' });
    const browser = console.browser();
    for (const password of ['', 'null', 'undefined', ' '])
      expect((await browser.post('/api/session', { email: 'empty@shop.example', password })).status).toBeGreaterThan(
        399,
      );
  });
});
