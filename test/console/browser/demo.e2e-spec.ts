import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { prepareDatabase } from '../../../tools/local-stack/seed.js';
import { createDataDir } from '../../../tools/local-stack/state.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { dayIn } from '../../support/days.js';
import { ConsoleStack, type TestOperator } from '../console-stack.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

describeInBrowser('The demo of a local stack, in a browser', () => {
  let database: TestDatabase;
  let directory: string;
  let stack: ConsoleStack;
  let browser: Browser;
  let admin: TestOperator;

  beforeAll(async () => {
    database = await createTestDatabase();
    directory = mkdtempSync(path.join(tmpdir(), 'topup-demo-'));
    createDataDir(directory);
    const env = { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('base64') };
    const ofService = { ...env, NODE_ENV: 'test', REDIS_URL: process.env.TEST_REDIS_URL };
    await prepareDatabase(ofService, directory, { url: 'http://127.0.0.1:9', token: 'simulated' });
    [stack, browser] = await Promise.all([ConsoleStack.start(env, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await stack.signedIn('admin');
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
    await database.drop();
    rmSync(directory, { recursive: true, force: true });
  });

  const arrive = (language: 'en' | 'th' = 'en'): Promise<Visitor> =>
    Visitor.arrive(browser, stack, { language, as: admin });

  /** The address of the newest order with a unit in this state. */
  async function orderOf(condition: string): Promise<string> {
    const [order] = await stack.sql<{ order_number: string }>(
      `SELECT order_number FROM orders o JOIN order_units u ON u.order_id = o.id WHERE ${condition} ORDER BY o.id DESC LIMIT 1`,
    );
    return `/orders/${order?.order_number}`;
  }

  async function pagesOf({ page }: Visitor): Promise<PageToSee[]> {
    const table = (): Promise<void> => page.locator('main table').first().waitFor();
    const [shop] = await stack.sql<{ id: number }>(`SELECT id FROM merchants WHERE name LIKE 'TopSpeed%'`);
    const timeline = (): Promise<void> => page.locator('ol').first().waitFor();
    const chart = (): Promise<void> => page.locator('figure, [role="slider"]').first().waitFor();
    const merchant = `/merchants/${shop?.id}`;
    const failing = await stack.sql<{ id: number }>(
      `SELECT webhook_id AS id FROM webhook_deliveries WHERE status = 'failed' LIMIT 1`,
    );
    return [
      [
        'demo-home',
        '/',
        () =>
          page
            .getByRole('link', { name: /^lotus-topup/ })
            .first()
            .waitFor(),
      ],
      ['demo-orders', '/orders', table],
      ['demo-order', await orderOf(`u.state = 'succeeded' AND u.attempt = 2`), timeline],
      ['demo-order-review', await orderOf(`u.state = 'review'`), timeline],
      ['demo-order-failed', `${await orderOf(`u.state = 'failed'`)}?timeline=units`, timeline],
      ['demo-review', '/review', table],
      ['demo-merchants', '/merchants', table],
      ['demo-merchant', merchant, chart],
      ['demo-merchant-orders', `${merchant}/orders`, table],
      ['demo-merchant-statement', `${merchant}/statement`, table],
      ['demo-merchant-keys', `${merchant}/keys`, table],
      ['demo-merchant-prices', `${merchant}/prices`, table],
      ['demo-merchant-webhooks', `${merchant}/webhooks`, table],
      ['demo-products', '/products', table],
      ['demo-product', '/products/MLBB-86', () => page.locator('svg[viewBox="0 0 600 91"]').waitFor()],
      ['demo-suppliers', '/suppliers', table],
      ['demo-supplier', '/suppliers/lotus-topup?range=day', chart],
      ['demo-webhooks', '/webhooks', table],
      ['demo-webhook', `/webhooks/${failing[0]?.id}`, table],
      ['demo-deliveries', '/deliveries', table],
    ];
  }

  it.each(['en', 'th'] as const)('shows a busy shop on every page, in %s', async (language) => {
    const visitor = await arrive(language);
    await visitor.lookAt(await pagesOf(visitor));
    await visitor.leave();
  });

  it('has reports with earnings, and books without violations', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const dayBefore = (days: number): string => dayIn('Asia/Bangkok', Date.now() - days * 86_400_000);
    const reports = [
      ['demo-report-daily', `/reports/daily?date=${dayBefore(1)}`, 'Daily report'],
      ['demo-report-margin', `/reports/margin?from=${dayBefore(13)}&to=${dayBefore(0)}&by=sku`, 'Margin report'],
      ['demo-audit', '/audit', 'Checks'],
    ] as const;
    for (const [name, address, table] of reports) {
      await visitor.open(address);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('table', { name: table }).waitFor();
      await visitor.look(name);
    }
    // The summary follows the table: it shows a time only if the latest audit found no violation.
    await page.locator('dt', { hasText: 'In order since' }).locator('xpath=following-sibling::dd//time').waitFor();
    await visitor.leave();
  });
});
