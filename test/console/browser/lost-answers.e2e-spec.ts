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
