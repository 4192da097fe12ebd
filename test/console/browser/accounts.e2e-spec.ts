import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { MerchantsService } from '../../../src/merchants/merchants.service.js';
import { ConsoleStack, PASSWORD, type TestOperator } from '../console-stack.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

/** The requests for pages of the log. */
const LOG = /\/api\/log(\?|$)/;

describeInBrowser('The log and the operators, in a browser', () => {
  let stack: ConsoleStack;
  let browser: Browser;
  let admin: TestOperator;
  let support: TestOperator;

  beforeAll(async () => {
    [stack, browser] = await Promise.all([ConsoleStack.start({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await stack.signedIn('admin');
    support = await stack.signedIn('support');
    const merchants = stack.app.get(MerchantsService);
    const malee = { operator: 'malee', reason: 'asked for by phone <img src=x onerror=alert(1)>' };
    const { id } = await merchants.create('Somchai Game Shop', malee);
    await merchants.setStatus(id, 'suspended', malee);
    await stack.operators.setRole(support.email, 'support', malee);
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  const arrive = (language: 'en' | 'th' = 'en', as = admin): Promise<Visitor> =>
    Visitor.arrive(browser, stack, { language, as });

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a wide screen and on a phone',
    async (language) => {
      const visitor = await arrive(language);
      const { page } = visitor;
      const pages: PageToSee[] = [
        ['log', '/log', () => page.locator('table').waitFor()],
        ['operators', '/operators', () => page.locator('table').waitFor()],
        ['operator', `/operators/${support.id}`, () => page.locator('li').filter({ hasText: '10.' }).waitFor()],
        ['log-empty', '/log?operator=nobody', () => page.getByText('nobody').waitFor()],
      ];
      await visitor.lookAt(pages);
      await visitor.leave();
    },
  );

  const lineOf = (page: Page, text: string): ReturnType<Page['getByRole']> =>
    page.getByRole('row').filter({ hasText: text });

  it('show old and new values, by keyboard, and filter by the address', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByRole('button', { name: 'Action' }).click();
    await page.getByRole('group', { name: 'Filter by Action' }).getByLabel('Role changed').check();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/log?action=operator.set_role');
    await lineOf(page, 'Signed in').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Details' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(support.email).last().waitFor();
    await visitor.look('log-entry');
    expect(await page.getByText('asked for by phone <img').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await lineOf(page, 'Merchant suspended').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('log.csv');
    await visitor.leave();
  });

  it('show the support role only its own entries, and a viewer nothing', async () => {
    const visitor = await arrive('en', support);
    await visitor.open('/log');
    await visitor.page.getByText('Your role shows what you did yourself.').waitFor();
    await lineOf(visitor.page, 'Signed in').waitFor();
    expect(await lineOf(visitor.page, 'Merchant suspended').count()).toBe(0);
    await visitor.leave();
    const viewer = await arrive('en', await stack.signedIn('viewer'));
    await viewer.open('/log');
    await viewer.page.getByText('The permission log.read is missing.').waitFor();
    expect(await viewer.page.getByRole('link', { name: 'Log', exact: true }).count()).toBe(0);
    await viewer.look('log-forbidden');
    await viewer.leave(/Failed to load resource.*403/);
  });

  it('invite a colleague with a link that is shown once', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/operators');
    await page.getByRole('button', { name: 'Invite an operator' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite an operator' });
    await dialog.getByLabel('E-mail').fill('mali@shop.example');
    await dialog.getByLabel('Name').fill('Mali Suksai');
    await dialog.getByLabel('Role').selectOption('finance');
    await visitor.look('operators-invite');
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
    const made = page.getByRole('dialog', { name: 'Link for Mali Suksai' });
    await made.getByText(/\/set-up#/).waitFor();
    await page.keyboard.press('Escape');
    await made.getByRole('button', { name: 'Copy link' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('/set-up#');
    await visitor.look('operators-link');
    await made.getByRole('button', { name: 'I kept it' }).click();
    await page.getByRole('link', { name: 'Mali Suksai' }).waitFor();
    await page.getByText('Invited').waitFor();
    await visitor.leave();
  });

  it('change a role and end sessions after the operator confirmed their identity', async () => {
    const nok = await stack.signedIn('support');
    const visitor = await arrive();
    const { page } = visitor;
    await stack.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes' WHERE operator_id = $1`,
      [admin.id],
    );
    await visitor.open(`/operators/${nok.id}`);
    await page.getByRole('button', { name: 'Change role' }).click();
    const dialog = page.getByRole('dialog', { name: /Change role/ });
    await dialog.getByRole('combobox', { name: 'Role' }).selectOption('viewer');
    await dialog.getByLabel('Reason').fill('only looks');
    await visitor.look('operator-role');
    await dialog.getByRole('button', { name: 'Change role' }).click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Viewer').waitFor();
    await page.getByRole('button', { name: 'End session' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Not signed in anywhere').waitFor();
    expect((await nok.browser.get('/api/me')).status).toBe(401);
    await visitor.leave(/Failed to load resource.*403/);
  });

  it('name errors', async () => {
    const visitor = await arrive();
    await visitor.page.route(LOG, (route) =>
      route.fulfill({
        status: 500,
        headers: { 'x-request-id': 'req-1' },
        json: { status: 500, code: 'INTERNAL_ERROR', message: 'Something went wrong here' },
      }),
    );
    await visitor.open('/log');
    await visitor.page.getByText('Something went wrong here').waitFor();
    await visitor.page.getByRole('button', { name: 'Try again' }).waitFor();
    await visitor.leave(/Failed to load resource.*500/);
  });
});
