import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Route } from 'playwright-core';
import { MerchantsService } from '../../../src/merchants/merchants.service.js';
import { deferred } from '../../support/deferred.js';
import { ConsoleStack, type TestOperator } from '../console-stack.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

interface List {
  /** The name of its pictures. */
  name: string;
  address: string;
  /** The address of its data. */
  from: RegExp;
  permission: string;
  /** The text of an empty list. */
  empty: string;
}

const LISTS: readonly List[] = [
  list('orders', '/orders', 'orders', 'orders.read', 'No orders yet'),
  list('review', '/review', 'review', 'orders.read', 'Nothing needs a decision'),
  list('merchants', '/merchants?q=nobody', 'merchants', 'merchants.read', 'No merchant matches'),
  list('statement', '/merchants/1/statement', 'merchants/1/entries', 'statements.read', 'Nothing has moved yet'),
  list('keys', '/merchants/1/keys', 'merchants/1/keys', 'merchants.read', 'This merchant has no keys'),
  list('own-prices', '/merchants/1/prices', 'merchants/1/prices', 'products.read', 'There are no products yet'),
  list('approvals', '/approvals', 'approvals', 'wallets.read', 'Nothing has waited for a second person yet'),
  list('products', '/products', 'products', 'products.read', 'There are no products yet'),
  list('fx', '/fx', 'fx', 'products.read', 'There are no exchange rates'),
  list('suppliers', '/suppliers', 'suppliers', 'suppliers.read', 'There are no suppliers yet'),
  list('reversals', '/reversals', 'reversals', 'suppliers.read', 'There are no such discrepancies'),
  list('webhooks', '/webhooks', 'webhooks', 'webhooks.read', 'No webhooks yet'),
  list('deliveries', '/deliveries', 'deliveries', 'webhooks.read', 'Nothing was delivered yet'),
  list('reports', '/reports/supplier', 'jobs', 'reports.read', 'This was not run yet'),
  list('audit', '/audit', 'jobs', 'audit.run', 'The books were not checked here yet'),
  list('log', '/log?operator=nobody', 'log', 'log.read', 'Nothing matches'),
];

function list(name: string, address: string, path: string, permission: string, empty: string): List {
  return { name, address, from: new RegExp(`/api/${path}(\\?|$)`), permission, empty };
}

const failed = (route: Route): Promise<void> =>
  route.fulfill({
    status: 500,
    headers: { 'x-request-id': 'f3a1c2d4-5b6e-4f70-8a91-b2c3d4e5f607' },
    json: { status: 500, code: 'INTERNAL_ERROR', message: 'An internal error occurred' },
  });

const forbidden =
  (permission: string) =>
  (route: Route): Promise<void> => {
    const message = `This needs the permission ${permission}`;
    const details = [{ field: permission, code: 'PERMISSION_REQUIRED', message }];
    return route.fulfill({ status: 403, json: { status: 403, code: 'FORBIDDEN', message, details } });
  };

describeInBrowser('Every list, in a browser', () => {
  let stack: ConsoleStack;
  let browser: Browser;
  let admin: TestOperator;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([
      ConsoleStack.start({ CONSOLE_APPROVAL_ABOVE: '50000.00' }, { pagesFrom: BUILT }),
      launchBrowser(),
    ]);
    admin = await stack.signedIn('admin');
    const { id } = await stack.app.get(MerchantsService).create('Lucky Game Shop');
    expect(id).toBe(1);
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  describe.each(LISTS)('$name', ({ name, address, from, permission, empty }) => {
    it('shows that it loads, an error, a missing permission, and why it is empty', async () => {
      const visitor = await Visitor.arrive(browser, stack, { as: admin });
      const { page } = visitor;
      const { promise: gate, resolve: release } = deferred<void>();
      let answer = failed;
      await page.route(from, async (route) => {
        await gate;
        await answer(route);
      });
      await visitor.open(address);
      await page.locator('main h1').waitFor();
      await page.locator('main [aria-busy="true"] > div').first().waitFor();
      expect(await page.getByText(empty).count()).toBe(0);
      await visitor.glance(`${name}-state-loading`);

      release();
      const alert = page.getByRole('alert');
      await alert.getByText('An internal error occurred').waitFor();
      await visitor.glance(`${name}-state-failed`);

      answer = forbidden(permission);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.getByText(`The permission ${permission} is missing.`).waitFor();
      await visitor.glance(`${name}-state-forbidden`);

      answer = (route) => route.continue();
      await page.reload();
      await page.getByText(empty).waitFor();
      await visitor.glance(`${name}-state-empty`);
      await visitor.leave(/Failed to load resource.*(403|500)/);
    });
  });
});
