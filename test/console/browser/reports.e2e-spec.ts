import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { TestOperator } from '../console-stack.js';
import { dayIn } from '../../support/days.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('Reports and the audit, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let finance: TestOperator;
  /** The day of the order. */
  let today: string;
  let daily: string;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    finance = await scene.console.signedIn('finance');
    const order = await scene.stack.order(scene.merchant, [{ sku: scene.sku, quantity: 2 }]);
    const { updated_at: end } = await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');
    today = dayIn('UTC', end);
    daily = `/reports/daily?date=${today}&zone=UTC`;
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  const arrive = (language: 'en' | 'th' = 'en', as = finance): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });

  it('run, and show their complete results', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(daily);
    // It runs without a click, because an operator opens a report to see it.
    await page.getByText('Opening balances and movements give the closing balances.').waitFor();
    await page.getByRole('row', { name: /Total/ }).getByText('70.00').waitFor();
    await visitor.look('report-daily');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^daily_report-\d+\.csv$/);
    await visitor.open(`/reports/margin?from=${today}&to=${dayIn('Asia/Bangkok')}&by=sku`);
    await page.getByRole('table', { name: 'Margin report' }).waitFor();
    await visitor.look('report-margin');
    // This one calls suppliers, so it does not run by itself.
    await visitor.open('/reports/supplier');
    await page.getByText('This was not run yet').waitFor();
    await visitor.look('report-none');
    const run = page.getByRole('button', { name: 'Run', exact: true });
    const since = page.getByRole('textbox', { name: 'Placed since', exact: true });
    const day = await since.inputValue();
    await since.fill('yesterday');
    expect(await run.isDisabled()).toBe(true);
    await since.fill(day);
    await run.click();
    await page.getByRole('table', { name: 'Supplier report' }).waitFor();
    await page.getByText('In order').first().waitFor();
    await visitor.look('report-supplier');
    await visitor.open('/audit');
    await page.getByText('The books were not checked here yet').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('table', { name: 'Checks' }).waitFor();
    await page.getByText('In order since').waitFor();
    await visitor.look('audit');
    await visitor.leave();
  });

  it('show differences in red, in Thai as well', async () => {
    await scene.console.sql(
      `UPDATE console_jobs SET ok = false, result = jsonb_set(result, '{differences}', '["merchant 1: 5.00 <b>are missing"]')
       WHERE kind = 'daily_report'`,
    );
    await scene.console.sql(
      `UPDATE console_jobs SET ok = false, result = jsonb_set(result, '{checks,0,ok}', 'false') WHERE kind = 'audit'`,
    );
    const visitor = await arrive('th');
    const { page } = visitor;
    await visitor.open(daily);
    await page.getByText('merchant 1: 5.00 <b>are missing').waitFor();
    await visitor.look('report-daily-wrong');
    await visitor.open('/audit');
    await page.locator('table').waitFor();
    await visitor.look('audit-wrong');
    await visitor.leave();
  });

  it('accept days with the year first in any language of the browser, typed or from the calendar', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/reports/daily?date=2026-03-04');
    const day = page.getByRole('textbox', { name: 'Day', exact: true });
    expect(await day.inputValue()).toBe('2026-03-04');
    await day.fill('03/05/2026');
    await page.getByText('Year, month and day, such as 2026-11-22').waitFor();
    await visitor.look('day-wrong');
    await day.fill('2026-03-05');
    await page.waitForURL('**/reports/daily?date=2026-03-05*');
    await page.getByText('Year, month and day, such as').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Day: choose in a calendar' }).click();
    await page.locator('input[type=date]').fill('2026-03-06');
    await page.waitForURL('**/reports/daily?date=2026-03-06*');
    expect(await day.inputValue()).toBe('2026-03-06');
    await visitor.leave();
  });

  it('are forbidden without the permission', async () => {
    const visitor = await arrive('en', await scene.console.signedIn('support'));
    const { page } = visitor;
    await visitor.open(daily);
    await page.getByText('The permission reports.read is missing.').waitFor();
    expect(await page.getByRole('link', { name: 'Audit' }).count()).toBe(0);
    await visitor.look('report-forbidden');
    await visitor.leave(/Failed to load resource.*403/);
  });
});
