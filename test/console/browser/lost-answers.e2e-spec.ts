import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { deferred } from '../../support/deferred.js';
import type { TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('Pages whose requests get no answer, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  const arrive = (language: 'en' | 'th'): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { as: admin, language });

  it('come back with "Try again" after a script was lost', async () => {
    const visitor = await arrive('en');
    const { page } = visitor;
    const script = /\/assets\/modal-part-[^/]+\.js$/;
    await page.route(script, (route) => route.abort());
    await visitor.open('/suppliers/fake');
    await page.getByRole('button', { name: 'Pause fake' }).click();
    await page.getByText('This could not be loaded').waitFor();
    await page.unroute(script);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('button', { name: 'Pause fake' }).click();
    await page.getByRole('dialog', { name: 'Pause fake' }).waitFor();
    await visitor.leave(/Failed to load resource.*ERR_FAILED/, /dynamically imported module/);
  });

  it('say in Thai that an action without an answer may have been done', async () => {
    const visitor = await arrive('th');
    const { page } = visitor;
    await visitor.open('/suppliers/fake');
    await page.route('**/api/suppliers/fake/pause', (route) => route.abort());
    await page.getByRole('button', { name: 'หยุดใช้ fake' }).click();
    const dialog = page.getByRole('dialog', { name: 'หยุดใช้ fake' });
    await dialog.getByLabel('เหตุผล').fill('maintenance');
    await dialog.getByRole('button', { name: 'หยุดใช้', exact: true }).click();
    await dialog.getByText('โปรดตรวจสอบก่อนทำซ้ำ').waitFor();
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });

  it('say that an action can be sent again only while its button sends the same request', async () => {
    const poor = await scene.stack.merchant('100.00');
    const { name } = (await admin.browser.get<{ name: string }>(`/api/merchants/${poor.id}`)).body;
    const visitor = await arrive('en');
    const { page } = visitor;
    await page.route('**/api/merchants/*/debits', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await visitor.open(`/merchants/${poor.id}`);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    const dialog = page.getByRole('dialog', { name: /Withdraw/ });
    await dialog.getByLabel('Amount').fill('30');
    await dialog.getByLabel('Reference').fill('out-1');
    await dialog.getByLabel(`Type ${name} to confirm`).fill(name);
    const withdraw = dialog.getByRole('button', { name: 'Withdraw 30.00 THB' });
    await withdraw.click();
    const safe = dialog.getByText('You can press again');
    const unsafe = dialog.getByText('Check that before you do it again');
    await safe.waitFor();
    expect(await withdraw.isEnabled()).toBe(true);
    await dialog.getByLabel('Reference').fill('out-2');
    await unsafe.waitFor();
    await withdraw.click();
    await safe.waitFor();
    await dialog.getByLabel('Reference').fill('out-3');
    await withdraw.click();
    await dialog.getByText('There is not so much available').waitFor();
    await unsafe.waitFor();
    expect([await withdraw.isDisabled(), await safe.count()]).toEqual([true, 0]);
    expect((await scene.stack.wallet(poor)).available).toBe('10.00');
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });

  it('say so also in a form, and if only a proxy answered', async () => {
    const visitor = await arrive('en');
    const { page } = visitor;
    await page.route(`**/api/products/${scene.sku}`, (route) =>
      route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 504, body: '<h1>Time-out</h1>' }),
    );
    await visitor.open(`/products/${scene.sku}?edit=definition`);
    const form = page.getByRole('dialog', { name: `Edit ${scene.sku}` });
    await form.getByLabel('Price').fill('36');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('it may have been done').waitFor();
    await visitor.leave(/Failed to load resource.*504/);
  });

  it('can be left after a while, if no answer comes', async () => {
    const visitor = await arrive('en');
    const { page } = visitor;
    await visitor.open('/suppliers/fake');
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/suppliers/fake/pause', async (route) => {
      await gate;
      await route.abort();
    });
    await page.getByRole('button', { name: 'Pause fake' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause fake' });
    await dialog.getByLabel('Reason').fill('maintenance');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    const cancel = dialog.getByRole('button', { name: 'Cancel' });
    expect(await cancel.isDisabled()).toBe(true);
    await cancel.click();
    await dialog.waitFor({ state: 'detached' });
    release();
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });
});
