import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { closeWithBalancedBooks } from '../../support/books.js';
import type { TestMerchant } from '../../support/stack.js';
import type { TestOperator } from '../console-stack.js';
import { waitingPayment } from '../deposits/deposits-desk.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('Approvals, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let nok: TestOperator;
  let mali: TestOperator;
  let merchant: TestMerchant;
  let name: string;

  beforeAll(async () => {
    const env = { CONSOLE_APPROVAL_ABOVE: '50000.00' };
    [scene, browser] = await Promise.all([startScene(env, { pagesFrom: BUILT }), launchBrowser()]);
    nok = await scene.console.signedIn('finance');
    mali = await scene.console.signedIn('admin');
    ({ merchant } = scene);
    ({ name } = (await mali.browser.get<{ name: string }>(`/api/merchants/${merchant.id}`)).body);
  });
  afterAll(async () => {
    await browser.close();
    await closeWithBalancedBooks(scene.stack, scene.console);
  });

  const arrive = (as: TestOperator, language: 'en' | 'th' = 'en'): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });
  const dialog = (page: Page): Locator => page.getByRole('dialog');
  const row = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
  const available = async (): Promise<string> => (await scene.stack.wallet(merchant)).available;

  const ask = async (reference: string, kind = 'credit', amount = '75000.00'): Promise<number> => {
    const reason = 'the bank’s notice of Monday, ticket 4711';
    const body = { merchant_id: merchant.id, kind, amount, reference, reason, note: 'Transfer of Monday' };
    return (await nok.browser.post<{ id: number }>('/api/approvals', body)).body.id;
  };

  it('are an empty list at first, which a viewer may not see', async () => {
    const visitor = await arrive(nok);
    const { page } = visitor;
    await visitor.open('/approvals');
    await page.getByText('Deposits and withdrawals of more than 50,000.00 THB wait here').waitFor();
    await visitor.look('approvals-none');
    await visitor.leave();
    const stranger = await arrive(await scene.console.signedIn('viewer'));
    await stranger.open('/approvals');
    await stranger.page.getByText('The permission wallets.read is missing.').waitFor();
    expect(await stranger.page.getByRole('link', { name: 'Approvals' }).count()).toBe(0);
    await stranger.leave(/Failed to load resource.*403/);
  });

  it('are requested on the page of deposits, and given by another person from the home page', async () => {
    const before = Number(await available());
    const requester = await arrive(nok);
    await requester.open(`/merchants/${merchant.id}`);
    await requester.page.getByRole('heading', { name, exact: true }).waitFor();
    await requester.page.keyboard.press('d');
    await dialog(requester.page).getByLabel('Amount').fill('50,000.01');
    await dialog(requester.page).getByLabel('Reference').fill('bank-1');
    await dialog(requester.page).getByText('nothing moves until another operator approves it').waitFor();
    await dialog(requester.page).getByLabel('Reason').fill('ticket 4711');
    await requester.look('approvals-ask');
    await dialog(requester.page).getByRole('button', { name: 'Request approval' }).click();
    await requester.page.getByText(`50,000.01 THB for ${name} wait for a second person`).waitFor();
    const waiting = requester.page.getByRole('region', { name: 'Waiting for a second person' });
    await waiting.getByText('bank-1').waitFor();
    expect(await waiting.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await requester.look('approvals-merchant');
    expect(Number(await available())).toBe(before);
    await requester.leave();

    const visitor = await arrive(mali);
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('link', { name: '1 movement of money waits for your approval' }).click();
    await row(page, 'bank-1').getByRole('button', { name: 'Approve' }).click();
    await dialog(page).getByText('ticket 4711').waitFor();
    await dialog(page)
      .getByText((before + 50_000.01).toLocaleString('en', { minimumFractionDigits: 2 }))
      .waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await visitor.look('approvals-approve');
    // The button to cancel, and then the next one, by keyboard.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText(`50,000.01 THB were deposited for ${name}`).waitFor();
    expect(Number(await available())).toBe(before + 50_000.01);
    await visitor.open(`/merchants/${merchant.id}/statement`);
    await row(page, 'bank-1').getByText(`approved by ${mali.email}`).waitFor();
    await visitor.look('approvals-statement');
    await visitor.leave();
  });

  it('are requested once, although an answer was lost and the reason changed then', async () => {
    const visitor = await arrive(nok);
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}`);
    await page.getByRole('heading', { name, exact: true }).waitFor();
    await page.keyboard.press('d');
    await dialog(page).getByLabel('Amount').fill('60,000.00');
    await dialog(page).getByLabel('Reference').fill('lost-1');
    await dialog(page).getByLabel('Reason').fill('ticket 4712');
    // The service has the request, but the browser never learns of it.
    await page.route(/\/api\/approvals$/, async (route) => {
      await route.fetch();
      await route.abort();
    });
    const request = dialog(page).getByRole('button', { name: 'Request approval' });
    await request.click();
    await dialog(page).getByText('You can press again: it is done only once.').waitFor();
    await page.unrouteAll();
    await dialog(page).getByLabel('Reason').fill('ticket 4712, of Monday');
    await request.click();
    await page.getByText(`60,000.00 THB for ${name} wait for a second person`).waitFor();
    const { body } = await mali.browser.get<{ data: { id: number; reference: string }[] }>(
      '/api/approvals?status=open',
    );
    const made = body.data.filter(({ reference }) => reference === 'lost-1');
    expect(made).toHaveLength(1);
    await nok.browser.post(`/api/approvals/${made[0]?.id}/rejection`, { reason: 'tidy' });
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });

  it('are given although the orders of the merchant change its balance all the time', async () => {
    await ask('busy-1');
    const visitor = await arrive(mali);
    const { page } = visitor;
    await page.route('**/api/approvals/*/approval', async (route) => {
      await scene.stack.credit(merchant.id, '1.00');
      await route.continue();
    });
    await visitor.open('/approvals');
    await row(page, 'busy-1').getByRole('button', { name: 'Approve' }).click();
    const approve = dialog(page).getByRole('button', { name: 'Deposit 75,000.00 THB' });
    await approve.click();
    await dialog(page).getByText('The balance changed meanwhile').waitFor();
    await dialog(page).getByLabel('Go on, whatever the balance is by then').check();
    await approve.click();
    await page.getByText(`75,000.00 THB were deposited for ${name}`).waitFor();
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('take back of a payment what a busy wallet has, and say what was missing, also after a lost answer', async () => {
    const poor = await scene.stack.merchant('0.00');
    const { payment } = await waitingPayment({ merchant: poor }, mali, '60000.00');
    const request = async (body: object): Promise<number> => {
      const whole = { payment_id: payment, reason: 'ticket 7', ...body };
      return (await nok.browser.post<{ id: number }>('/api/approvals', whole)).body.id;
    };
    const credit = await request({ kind: 'payment_credit', merchant_id: poor.id });
    await mali.browser.post(`/api/approvals/${credit}/approval`, {});
    const refund = `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = 6000000 WHERE public_id = $1`;
    await scene.console.sql(refund, [payment]);
    const taken = { amount: '40000.00', reference: 'taken-out' };
    await nok.browser.post(`/api/merchants/${poor.id}/debits`, taken);
    await request({ kind: 'payment_debit' });
    const visitor = await arrive(mali);
    const { page } = visitor;
    await page.route('**/api/approvals/*/approval', async (route) => {
      await scene.stack.credit(poor.id, '1.00');
      await route.continue();
    });
    await visitor.open('/approvals');
    await row(page, payment).getByRole('button', { name: 'Approve' }).click();
    const poorName = (await mali.browser.get<{ name: string }>(`/api/merchants/${poor.id}`)).body.name;
    await dialog(page).getByLabel(`Type ${poorName} to confirm`).fill(poorName);
    const approve = dialog(page).getByRole('button', { name: /60,000\.00 THB/ });
    await approve.click();
    await dialog(page).getByText('The balance changed meanwhile').waitFor();
    await dialog(page).getByLabel('Go on, whatever the balance is by then').check();
    const missing = 60_000 - Number((await scene.stack.wallet(poor)).available) - 1;
    await page.unrouteAll();
    await page.route('**/api/approvals/*/approval', async (route) => {
      await scene.stack.credit(poor.id, '1.00');
      await route.fetch();
      await route.abort();
    });
    const lost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/approval'));
    await approve.click();
    await lost;
    await dialog(page).getByRole('alert').waitFor();
    await page.unrouteAll();
    await approve.click();
    const shown = missing.toLocaleString('en', { minimumFractionDigits: 2 });
    await page.getByText(`${shown} THB were no longer available in the wallet`).waitFor();
    expect((await scene.stack.wallet(poor)).available).toBe('0.00');
    await visitor.open('/approvals?status=approved');
    await row(page, payment).filter({ hasText: 'Take back' }).getByRole('button', { name: 'Details' }).click();
    await page.getByText('No longer available').waitFor();
    await page.getByText(`${shown} THB`, { exact: true }).waitFor();
    await visitor.leave(/Failed to load resource.*(409|ERR_FAILED)/);
  });

  it('are refused with a reason, withdrawn by the requester, and typed for a debit', async () => {
    await ask('bank-2');
    await ask('out-1', 'debit', '50000.01');
    const visitor = await arrive(mali);
    const { page } = visitor;
    await visitor.open(`/merchants/${merchant.id}`);
    const waiting = page.getByRole('region', { name: 'Waiting for a second person' });
    const item = waiting.getByRole('listitem');
    await item.filter({ hasText: 'bank-2' }).getByRole('button', { name: 'Reject' }).click();
    expect(await dialog(page).getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').fill('the bank knows no such transfer');
    await visitor.look('approvals-reject');
    await dialog(page).getByRole('button', { name: 'Reject' }).click();
    await page.getByText('The request was rejected').waitFor();
    await item.filter({ hasText: 'out-1' }).getByRole('button', { name: 'Approve' }).click();
    const takeOut = dialog(page).getByRole('button', { name: 'Withdraw 50,000.01 THB' });
    expect(await takeOut.isDisabled()).toBe(true);
    await dialog(page).getByLabel(`Type ${name} to confirm`).fill(name);
    // Another operator decides first.
    const { body } = await mali.browser.get<{ data: { id: number }[] }>('/api/approvals?status=open');
    await nok.browser.post(`/api/approvals/${body.data[0]?.id}/rejection`, { reason: 'typing mistake' });
    await takeOut.click();
    await dialog(page).getByText(`was withdrawn by ${nok.email}`).waitFor();
    await visitor.look('approvals-late');
    await visitor.open(`/approvals?status=rejected`);
    await row(page, name).getByRole('button', { name: 'Details' }).click();
    await page.getByText('the bank knows no such transfer').waitFor();
    await visitor.look('approvals-rejected');
    await visitor.leave(/Failed to load resource.*409/);
  });

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a phone, and when they fail',
    async (language) => {
      for (const reference of [`bank-${language}-1`, `เงินโอน-${language}-ที่มีเลขอ้างอิงยาวมากกว่าที่จะอยู่ในหนึ่งบรรทัด`])
        await ask(reference);
      const visitor = await arrive(mali, language);
      const { page } = visitor;
      await visitor.lookAt([
        ['approvals', '/approvals', () => page.locator('main table').waitFor()],
        ['approvals-no-match', '/approvals?merchant=999999', () => page.getByRole('group').first().waitFor()],
        ['approvals-home', '/', () => page.locator('a[href^="/approvals?"]').waitFor()],
        ['approvals-of-merchant', `/merchants/${merchant.id}`, () => page.locator('main section h2').first().waitFor()],
      ]);
      await page.route(/\/api\/approvals(\?|$)/, (route) =>
        route.fulfill({
          status: 500,
          json: { status: 500, code: 'INTERNAL_ERROR', message: 'An internal error occurred' },
        }),
      );
      await visitor.open('/approvals');
      await page.getByText('An internal error occurred').waitFor();
      await visitor.look('approvals-failed');
      await visitor.leave(/Failed to load resource.*500/);
    },
  );

  it('are shown with the payment about which they are requested', async () => {
    const { payment } = await waitingPayment({ merchant }, mali, '60000.00');
    const request = { kind: 'payment_ignore', payment_id: payment, reason: 'interest of May' };
    const { id } = (await nok.browser.post<{ id: number }>('/api/approvals', request)).body;
    const visitor = await arrive(mali);
    await visitor.open(`/payments?payment=${payment}`);
    await visitor.page.getByRole('link', { name: `Ignore · ${nok.email} · interest of May` }).waitFor();
    await nok.browser.post(`/api/approvals/${id}/rejection`, { reason: 'tidy' });
    await visitor.leave();
  });

  it('are not requested for the credit of a payment that is not in THB', async () => {
    const { channel, payment } = await waitingPayment({ merchant }, mali);
    const set = (reason: string, currency: string): Promise<void> =>
      scene.stack.fill(
        `SET session_replication_role = 'replica';
         UPDATE incoming_payments SET reason = '${reason}', currency = '${currency}' WHERE public_id = '${payment}'`,
      );
    await set('WRONG_CURRENCY', 'USD');
    const visitor = await arrive(mali);
    const { page } = visitor;
    const credit = page.getByRole('button', { name: /^Credit/ });
    await visitor.open(`/payments?channel=${channel}`);
    await page.locator('[data-row-link]').first().waitFor();
    expect(await credit.count()).toBe(0);
    await page.locator('[data-row-link]').first().click();
    const panel = page.getByRole('complementary', { name: 'Payment', exact: true });
    await panel.getByRole('button', { name: 'Ignore' }).waitFor();
    expect([await panel.getByRole('button', { name: 'Returned' }).count(), await credit.count()]).toEqual([1, 0]);
    await set('UNMATCHED', 'THB');
    await visitor.leave();
  });
});
