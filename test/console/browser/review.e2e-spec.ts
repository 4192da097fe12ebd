import { afterAll, beforeAll, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { OrderBody } from '../../support/stack.js';
import type { TestOperator } from '../console-stack.js';
import { refusedAtFirst, sellAlsoAt, startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('An order’s story, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;
  let rerouted: OrderBody;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([
      startScene({ SUPPLIER_QUIET_PERIOD_MS: '600000' }, { pagesFrom: BUILT }),
      launchBrowser(),
    ]);
    admin = await scene.console.signedIn('admin');
    const sku = await scene.stack.product('35.00');
    await sellAlsoAt(scene, sku, 'second', { priority: 2, isPaused: true });
    await sellAlsoAt(scene, sku, 'third', { priority: 3, cost: 20 });
    await scene.merchant.client.post('/v1/merchant-webhooks', { url: 'http://127.0.0.1:9/nobody-listens' });
    rerouted = await refusedAtFirst(scene, sku);
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  it.each(['en', 'th'] as const)('says in %s why each attempt was made where it was', async (language) => {
    const visitor = await Visitor.arrive(browser, scene.console, { language, as: admin });
    const { page } = visitor;
    await visitor.open(`/orders/${rerouted.order_number}`);
    await page.getByText('second-sku').waitFor();
    await page.getByText(language === 'en' ? /Passed over second/ : /ข้ามไป second/).waitFor();
    await page
      .getByText(/127\.0\.0\.1:9/)
      .first()
      .waitFor();
    await visitor.look('order-rerouted');
    await page.getByRole('heading', { level: 2 }).last().scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 4_000);
    await visitor.look('order-rerouted-end');
    await page
      .getByRole('link', { name: language === 'en' ? 'Webhook delivery' : 'ส่งเว็บฮุก' })
      .first()
      .click();
    await page.waitForURL('**/deliveries?delivery=*');
    await visitor.leave();
  });
});
