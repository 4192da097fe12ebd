import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { deferred } from '../../support/deferred.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('The section "To do" of the home page, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  it.each(['viewer', 'finance'] as const)(
    'says that nothing waits once all requests have answers, for %s',
    async (role) => {
      const visitor = await Visitor.arrive(browser, scene.console, { as: await scene.console.signedIn(role) });
      await visitor.open('/');
      await visitor.page.getByText('Nothing waits for you.').waitFor();
      await visitor.look(`home-nothing-${role}`);
      await visitor.leave();
    },
  );

  it('names a backup that is missing or old, where backups are made', async () => {
    const visitor = await Visitor.arrive(browser, scene.console, { as: await scene.console.signedIn('viewer') });
    const { page } = visitor;
    await scene.console.sql(`INSERT INTO backups (started_at) VALUES (now() - interval '51 hours')`);
    await visitor.open('/');
    await page.getByText(/No backup has been completed for 2\s?d 3\s?h/).waitFor();
    await visitor.look('home-backup-old');
    await scene.console.sql(`UPDATE backups SET started_at = now(), completed_at = now(), bytes = 1`);
    await visitor.open('/');
    await page.getByText('Nothing waits for you.').waitFor();
    await visitor.leave();
  });

  it('does not say so while an answer is missing, and offers to repeat a failed request', async () => {
    const as = await scene.console.signedIn('finance');
    const visitor = await Visitor.arrive(browser, scene.console, { as });
    const { page } = visitor;
    const { promise: gate, resolve: release } = deferred<void>();
    let isBroken = true;
    await page.route(/\/api\/webhooks\?/, async (route) => {
      await gate;
      if (!isBroken) return route.continue();
      return route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', message: 'no luck' } });
    });
    await visitor.open('/');
    const needs = page.locator('section').filter({ has: page.getByRole('heading', { name: 'To do' }) });
    const nothing = needs.getByText('Nothing waits for you.');
    await page.getByRole('link', { name: /^fake/ }).first().waitFor();
    await needs.getByText('Loading').waitFor({ state: 'attached' });
    expect(await nothing.count()).toBe(0);
    release();
    await needs.getByRole('alert').getByText('This could not be loaded').waitFor();
    expect(await nothing.count()).toBe(0);
    await visitor.look('home-needs-failed');
    isBroken = false;
    await needs.getByRole('button', { name: 'Try again' }).click();
    await nothing.waitFor();
    await visitor.leave(/Failed to load resource.*500/);
  });
});
