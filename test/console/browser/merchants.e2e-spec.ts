import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { closeWithBalancedBooks } from '../../support/books.js';
import { deferred } from '../../support/deferred.js';
import { refused } from '../../support/fake-supplier.js';
import { unique, type TestMerchant } from '../../support/stack.js';
import { PASSWORD, type TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

describeInBrowser('Merchants, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;
  let finance: TestOperator;
  let merchant: TestMerchant;
  let name: string;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
    finance = await scene.console.signedIn('finance');
    ({ merchant } = scene);
    ({ name } = (await admin.browser.get<{ name: string }>(`/api/merchants/${merchant.id}`)).body);
    await fillIn();
  });
  afterAll(async () => {
    await browser.close();
    await closeWithBalancedBooks(scene.stack, scene.console);
  });

  /** Merchants: one with a failed order and a low wallet, one in the sandbox, and a suspended one whose name is markup. */
  async function fillIn(): Promise<void> {
    const { stack, sku } = scene;
    const user = unique('refused');
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    for (const each of [undefined, undefined, user]) {
      const order = await stack.order(merchant, [{ sku, quantity: 2 }], each);
      await stack.orderWith(merchant, order.reference_id, 'completed', 'failed');
    }
    await stack.sandboxMerchant('250.00');
    const { body } = await admin.browser.post<{ id: number }>('/api/merchants', {
      name: '<img src=x onerror=alert(1)> ร้านเกมของมะลิ ที่มีชื่อยาวมากกว่าที่จะอยู่ในหนึ่งบรรทัด',
    });
    await admin.browser.post(`/api/merchants/${body.id}/suspension`, { reason: 'its key was published' });
    await merchant.client.post('/v1/merchant-webhooks', { url: 'http://127.0.0.1:9/nobody-listens' });
    await admin.browser.send('PUT', `/api/merchants/${merchant.id}/alert`, { below: '20000.00' });
    await admin.browser.send('PUT', `/api/merchants/${merchant.id}/prices/${sku}`, { price: '31.50' });
  }

  const arrive = (as = finance, language: 'en' | 'th' = 'en'): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });

  const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;

  const dialog = (page: Page): Locator => page.getByRole('dialog');

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a wide screen and on a phone',
    async (language) => {
      const visitor = await arrive(admin, language);
      const { page } = visitor;
      const path = `/merchants/${merchant.id}`;
      const table = (): Promise<void> => page.locator('main table').waitFor();
      const pages: PageToSee[] = [
        ['merchants', '/merchants', table],
        ['merchants-none', '/merchants?q=nobody', () => page.getByText('nobody').waitFor()],
        ['merchant', path, () => page.locator('figure, [role="slider"]').first().waitFor()],
        ['merchant-orders', `${path}/orders`, table],
        ['merchant-statement', `${path}/statement`, table],
        ['merchant-keys', `${path}/keys`, table],
        ['merchant-prices', `${path}/prices`, table],
        ['merchant-webhooks', `${path}/webhooks`, table],
        ['merchant-log', `${path}/log`, table],
        ['merchant-missing', '/merchants/999999', () => page.getByRole('alert').waitFor()],
      ];
      await visitor.lookAt(pages);
      await visitor.leave(/Failed to load resource.*404/);
    },
  );

  it('are credited from the home page by keyboard alone, once', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const before = await available();
    await visitor.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await visitor.goBy('m', '/merchants');
    await page.getByRole('link', { name, exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.keyboard.press('d');
    await dialog(page).getByLabel('Amount').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('1,500.5');
    await page.keyboard.press('Tab');
    await page.keyboard.type('bank-20261123-1');
    await page.getByText((Number(before) + 1500.5).toLocaleString('en', { minimumFractionDigits: 2 })).waitFor();
    await visitor.look('deposit');
    await page.keyboard.press('Enter');
    await page.getByText(`1,500.50 THB were deposited for ${name}`).waitFor();
    expect(Number(await available())).toBe(Number(before) + 1500.5);
    await dialog(page).waitFor({ state: 'detached' });
    // A repetition moves nothing, and shows the time of the first movement.
    await page.keyboard.press('d');
    await dialog(page).getByLabel('Amount').fill('1500.50');
    await dialog(page).getByLabel('Reference').fill('bank-20261123-1');
    await page.keyboard.press('Enter');
    await dialog(page)
      .getByText(/bank-20261123-1 was done on .* Nothing was moved now/)
      .waitFor();
    expect(Number(await available())).toBe(Number(before) + 1500.5);
    await visitor.leave();
  });

  it('show in the dialog that the balance changed meanwhile', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}`);
    // The page does not refresh, so another operator's movement comes between two refreshes.
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    await dialog(page).getByLabel('Amount').fill('10');
    await dialog(page).getByLabel('Reference').fill('bank-2');
    await scene.stack.credit(merchant.id, '1.00');
    const before = await available();
    await dialog(page).getByRole('button', { name: 'Deposit 10.00 THB' }).click();
    await dialog(page).getByText('The balance changed meanwhile, and nothing was moved.').waitFor();
    await visitor.look('deposit-changed');
    expect(await available()).toBe(before);
    await dialog(page).getByRole('button', { name: 'Deposit 10.00 THB' }).click();
    await page.getByText('10.00 THB were deposited').waitFor();
    expect(Number(await available())).toBe(Number(before) + 10);
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('keep the dialog of a movement open until its answer is there', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const { promise: gate, resolve: release } = deferred<void>();
    const credits = '**/api/merchants/*/credits';
    await page.route(credits, async (route) => {
      await gate;
      await route.fulfill({ status: 409, json: { status: 409, code: 'CONFLICT', message: 'Not now' } });
    });
    await visitor.open(`/merchants/${merchant.id}`);
    await page.getByRole('button', { name: 'Deposit', exact: true }).click();
    await dialog(page).getByLabel('Amount').fill('10');
    await dialog(page).getByLabel('Reference').fill('bank-slow');
    const sent = page.waitForRequest(credits);
    await dialog(page).getByRole('button', { name: 'Deposit 10.00 THB' }).click();
    await sent;
    await page.keyboard.press('Escape');
    await page.mouse.click(10, 10);
    for (const label of ['Cancel', 'Close'])
      expect([label, await dialog(page).getByRole('button', { name: label }).isDisabled()]).toEqual([label, true]);
    release();
    await dialog(page).getByText('Not now').waitFor();
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('get money debited after the amount is typed and the operator confirmed again', async () => {
    const operator = await scene.console.signedIn('finance');
    await scene.console.sql(
      `UPDATE operator_sessions SET confirmed_at = now() - interval '1 hour' WHERE operator_id = $1`,
      [operator.id],
    );
    const visitor = await arrive(operator);
    const { page } = visitor;
    const before = await available();
    await visitor.open(`/merchants/${merchant.id}`);
    await page.getByRole('button', { name: 'Withdraw' }).click();
    const form = page.getByRole('dialog', { name: /Withdraw/ });
    await form.getByLabel('Amount').fill('99999999');
    await form.getByText('There is not so much available').waitFor();
    await form.getByLabel('Amount').fill('25');
    await form.getByLabel('Reference').fill('out-1');
    const button = form.getByRole('button', { name: 'Withdraw 25.00 THB' });
    expect(await button.isDisabled()).toBe(true);
    await form.getByLabel(`Type ${name} to confirm`).fill(name);
    await visitor.look('take-out');
    await button.click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.waitFor();
    // It closes only the upper dialog. The one below shows the refusal, and can send again.
    await page.keyboard.press('Escape');
    await again.waitFor({ state: 'detached' });
    await form.getByRole('alert').waitFor();
    await button.click();
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('25.00 THB were withdrawn').waitFor();
    expect(Number(await available())).toBe(Number(before) - 25);
    await visitor.leave(/Failed to load resource.*403/);
  });

  it('are suspended and resumed, and get an alert and prices', async () => {
    const visitor = await arrive(admin);
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}/prices`);
    await page.getByRole('button', { name: 'Suspend' }).click();
    await dialog(page).getByText('Open orders now: 0.').waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await dialog(page).getByLabel('Reason').fill('asked for');
    await visitor.look('suspend');
    await dialog(page).getByRole('button', { name: 'Suspend' }).click();
    await page.getByText(`${name} is suspended`).waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog(page).getByLabel('Reason').fill('all is well');
    await dialog(page).getByRole('button', { name: 'Resume' }).click();
    await page.getByText(`${name} can order again`).first().waitFor();
    await page.getByRole('button', { name: 'Change', exact: true }).first().click();
    await dialog(page)
      .getByLabel(/Warn the merchant below/)
      .fill('500');
    await dialog(page).getByRole('button', { name: 'Set the alert' }).click();
    await page.getByText('The alert is at 500.00 THB').waitFor();
    await page.getByRole('button', { name: `Change the price of ${scene.sku}` }).click();
    await dialog(page)
      .getByLabel(/Own price/)
      .fill('36');
    await dialog(page).getByText('At most the list price, 35.00').waitFor();
    await dialog(page)
      .getByLabel(/Own price/)
      .fill('30');
    await visitor.look('set-price');
    await dialog(page).getByRole('button', { name: 'Set the price' }).click();
    await page.getByText(`${scene.sku} costs 30.00 THB`).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click();
    await page.getByRole('cell', { name: '31.50' }).waitFor();
    await visitor.leave();
  });

  it('get a key that is shown once, in a dialog that closes only after the operator confirms they kept it', async () => {
    const visitor = await arrive(admin);
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}/keys`);
    await page.getByRole('button', { name: 'Issue a key' }).click();
    await dialog(page).getByLabel('Name').fill('checkout');
    await dialog(page).getByLabel('Networks').fill('203.0.113.0/24\n198.51.100.7');
    const issue = dialog(page).getByRole('button', { name: 'Issue a key' });
    const until = dialog(page).getByRole('textbox', { name: 'Works until the end of' });
    // An empty field means a key without an end, so a wrong day must not count as empty.
    for (const [day, isRead] of [
      ['22/11/2036', false],
      ['2036-02-30', false],
      ['2036-02-29', true],
      ['', true],
    ] as const) {
      await until.fill(day);
      expect([day, await issue.isEnabled()]).toEqual([day, isRead]);
    }
    await issue.click();
    const shown = page.getByRole('dialog', { name: 'The new key' });
    const key = (await shown.locator('code').textContent()) ?? '';
    expect(key).toMatch(/^topup_\w{43}$/);
    await visitor.look('key-shown');
    await page.keyboard.press('Escape');
    expect(await shown.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true);
    await shown.getByRole('button', { name: 'Copy the key' }).click();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    await shown.getByLabel('I kept it').check();
    await shown.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Issue a key' }).and(page.locator(':focus')).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'checkout' });
    await row.getByRole('button', { name: /Revoke/ }).click();
    await dialog(page).getByLabel('Reason').fill('only a test');
    await dialog(page).getByLabel(`Type ${name} to confirm`).fill(name);
    await visitor.look('revoke');
    await dialog(page).getByRole('button', { name: 'Revoke' }).click();
    await row.getByText('Revoked').waitFor();
    expect(await page.content()).not.toContain(key);
    await visitor.leave();
  });

  it('have a statement as a file of the typed days, and no file while a day is wrong', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}/statement`);
    await page.getByRole('button', { name: 'Movements as CSV' }).click();
    const file = page.getByRole('link', { name: 'Download', exact: true });
    const from = page.getByRole('textbox', { name: 'From', exact: true });
    await file.waitFor();
    await from.fill('22/11/2026');
    await file.waitFor({ state: 'detached' });
    await visitor.look('merchant-statement-wrong-day');
    await from.fill('2026-11-22');
    expect(await file.getAttribute('href')).toBe(
      `/api/merchants/${merchant.id}/entries.csv?from=2026-11-21T17%3A00%3A00.000Z`,
    );
    await visitor.leave();
  });

  it.each(['en', 'th'] as const)('have the statement of a month as a page to print, in %s', async (language) => {
    const visitor = await arrive(finance, language);
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}/statement`);
    await page.getByRole('button', { name: language === 'en' ? 'Month’s statement' : 'ใบแจ้งยอดรายเดือน' }).click();
    const link = page.getByRole('link', { name: language === 'en' ? 'Open to print' : 'เปิดเพื่อพิมพ์' });
    await visitor.look('merchant-month');
    const opened = page.waitForEvent('popup');
    await link.click();
    const printed = await opened;
    await printed.getByRole('heading', { name: 'Statement' }).waitFor();
    await printed.getByText(name).waitFor();
    // The style of the page is the only one that its policy allows, so a refused one would leave the default size.
    expect(await printed.evaluate<string>('getComputedStyle(document.querySelector("h1")).fontSize')).toBe('22.6667px');
    await visitor.leave();
  });

  it('hide from a viewer the data and actions of other roles, and show errors', async () => {
    const visitor = await arrive(await scene.console.signedIn('viewer'));
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}`);
    await page.getByRole('heading', { name, exact: true }).waitFor();
    for (const hidden of ['Deposit', 'Withdraw', 'Suspend'])
      expect(await page.getByRole('button', { name: hidden, exact: true }).count()).toBe(0);
    expect(await page.getByText('Available').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Statement' }).count()).toBe(0);
    await visitor.open(`/merchants/${merchant.id}/statement`);
    await page.getByText('The permission statements.read is missing.').waitFor();
    await page.route(/\/api\/merchants(\?|$)/, (route) =>
      route.fulfill({
        status: 500,
        json: { status: 500, code: 'INTERNAL_ERROR', message: 'An internal error occurred' },
      }),
    );
    await visitor.open('/merchants');
    await page.getByText('An internal error occurred').waitFor();
    await visitor.look('merchants-failed');
    await visitor.leave(/Failed to load resource.*(403|500)/);
  });
});
