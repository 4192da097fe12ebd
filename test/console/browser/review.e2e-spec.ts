import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { deferred } from '../../support/deferred.js';
import type { OrderBody } from '../../support/stack.js';
import type { TestOperator } from '../console-stack.js';
import { inDoubt, refusedAtFirst, sellAlsoAt, startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('Units in doubt, and an order’s history, in a browser', () => {
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

  it.each(['en', 'th'] as const)('show in %s why each attempt was at its supplier', async (language) => {
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

  it.each(['en', 'th'] as const)('are settled together, in %s', async (language) => {
    const isEnglish = language === 'en';
    const orders = [await inDoubt(scene, admin, { quantity: 2 }), await inDoubt(scene, admin)];
    const strange = await inDoubt(scene, admin, { supplier: 'third' });
    const visitor = await Visitor.arrive(browser, scene.console, { language, as: admin });
    const { page } = visitor;
    await visitor.open('/review');
    const mark = (order: OrderBody): Locator =>
      page.getByRole('row').filter({ hasText: order.order_number }).getByRole('checkbox').first();
    await mark(orders[0] as OrderBody).focus();
    await page.keyboard.press('Space');
    expect(await mark(strange).isDisabled()).toBe(true);
    await page.getByRole('button', { name: isEnglish ? '2 more of fake' : 'อีก 2 หน่วยของ fake' }).click();
    const all = page.getByRole('checkbox', { name: isEnglish ? 'Mark all of fake' : 'เลือกทั้งหมดของ fake' });
    expect(await all.isChecked()).toBe(true);
    await all.click();
    await page.getByRole('region', { name: isEnglish ? 'Marked units' : 'หน่วยที่เลือก' }).waitFor({ state: 'detached' });
    await all.click();
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(4);
    await visitor.look('review-marked');
    await page.getByRole('button', { name: isEnglish ? 'Decide together' : 'ยืนยันผลพร้อมกัน' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(isEnglish ? 'They were not bought' : 'ซื้อไม่สำเร็จ').click();
    await dialog.getByText(isEnglish ? /105\.00 THB go back to/ : /เงิน 105\.00 THB จะคืน/).waitFor();
    await dialog.getByLabel(isEnglish ? 'Why it failed' : 'ทำไมจึงไม่สำเร็จ').selectOption('SUPPLIER_UNAVAILABLE');
    await visitor.look('resolve-many');
    // Another operator settles one of them first.
    const path = `/api/orders/${orders[1]?.order_number}/units/1.1/resolution`;
    await admin.browser.post(path, { succeeded: true, reason: 'they found it' });
    await dialog.getByLabel(isEnglish ? 'Reason' : 'เหตุผล').fill('the outage of Monday');
    await dialog.getByRole('button', { name: isEnglish ? 'Settle 3 as failed' : 'บันทึก 3 หน่วย' }).click();
    await page.getByText(isEnglish ? '2 of 3 units were resolved' : 'ยืนยันผลแล้ว 2 จาก 3 หน่วย').waitFor();
    await page.getByRole('dialog').getByText(`${orders[1]?.order_number} · 1.1`).waitFor();
    await visitor.look('resolve-many-left');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: isEnglish ? 'Close' : 'ปิด' })
      .last()
      .click();
    await page.getByRole('region', { name: isEnglish ? 'Marked units' : 'หน่วยที่เลือก' }).waitFor({ state: 'detached' });
    await scene.stack.orderWith(scene.merchant, orders[0]?.reference_id ?? '', 'failed');
    await admin.browser.post('/api/review/resolution', {
      units: [{ order_number: strange.order_number, unit: '1.1' }],
      succeeded: true,
      reason: 'tidy',
    });
    await visitor.leave();
  });

  it('are marked for the next decision while the list refreshes, without its dialog', async () => {
    const [first, second] = [await inDoubt(scene, admin), await inDoubt(scene, admin)];
    const visitor = await Visitor.arrive(browser, scene.console, { as: admin });
    const { page } = visitor;
    await visitor.open('/review');
    const mark = (order: OrderBody): Locator =>
      page.getByRole('row').filter({ hasText: order.order_number }).getByRole('checkbox');
    await mark(first).check();
    await page.getByRole('button', { name: 'Decide together' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('They were bought').click();
    await dialog.getByLabel('Reason').fill('their list has it');
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route(/\/api\/review(\?|$)/, async (route) => {
      await gate;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Settle 1 as bought' }).click();
    await page.getByText('1 unit was resolved').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await mark(second).check();
    await page.getByRole('region', { name: 'Marked units' }).waitFor();
    expect(await dialog.count()).toBe(0);
    await page.getByRole('button', { name: 'Decide together' }).click();
    const refreshed = page.waitForResponse(/\/api\/review(\?|$)/);
    release();
    await refreshed;
    await page.getByRole('row').filter({ hasText: first.order_number }).waitFor({ state: 'detached' });
    await dialog.getByText('They were bought').click();
    await dialog.getByLabel('Reason').fill('their list has this one, too');
    await dialog.getByRole('button', { name: 'Settle 1 as bought' }).click();
    await page.getByText('Nothing needs a decision').waitFor();
    await visitor.leave();
  });

  it('of one order are settled on its page', async () => {
    const order = await inDoubt(scene, admin, { quantity: 3 });
    const visitor = await Visitor.arrive(browser, scene.console, { as: admin });
    const { page } = visitor;
    await visitor.open(`/orders/${order.order_number}`);
    await page.getByRole('button', { name: 'Decide about 3 units together' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('They were bought').click();
    await dialog.getByText('That ends 1 of 1 order.').waitFor();
    await dialog.getByLabel('Reason').fill('their list has all three');
    await dialog.getByRole('button', { name: 'Settle 3 as bought' }).click();
    await page.getByText('3 units were resolved').waitFor();
    await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');
    await visitor.leave();
  });
});
