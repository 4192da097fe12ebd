import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { BankAccount, COLUMNS, newPromptPayId, satang, type DepositView } from '../../deposits/scene.js';
import { closeWithBalancedBooks } from '../../support/books.js';
import { deferred } from '../../support/deferred.js';
import type { TestMerchant } from '../../support/stack.js';
import type { TestOperator } from '../console-stack.js';
import { addDeposit, presentSlip, sendStatement } from '../deposits/deposits-desk.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

describeInBrowser('Deposits, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;
  let merchant: TestMerchant;
  let name: string;
  let paid: DepositView;
  let short: DepositView;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
    ({ merchant } = scene);
    ({ name } = (await admin.browser.get<{ name: string }>(`/api/merchants/${merchant.id}`)).body);
    const options = { promptpay_id: newPromptPayId(), account: '004:0123456789', columns: COLUMNS };
    await admin.browser.send('PUT', '/api/channels/kbank', { adapter: 'promptpay', options });
    paid = await addDeposit(merchant, 'kbank', '2500.00');
    short = await addDeposit(merchant, 'kbank', '1000.00');
    await addDeposit(merchant, 'kbank', '500.00');
    const at = new Date();
    const account = new BankAccount().add(
      { at, amount: satang(paid.amount_to_pay), text: 'Transfer from X4411 MR. ANAN' },
      { at, amount: satang(short.amount_to_pay) - 100n, text: 'Transfer from X1234 SOMCHAI' },
      { at, amount: 77_700n, text: 'Transfer from X9001 KANYA' },
    );
    const { body } = await sendStatement(admin.browser, 'import', 'kbank', account.statement());
    expect(body).toMatchObject({ booked: 1, waiting: 2 });
  });
  afterAll(async () => {
    await browser.close();
    await closeWithBalancedBooks(scene.stack, scene.console);
  });

  const arrive = (as = admin, language: 'en' | 'th' = 'en'): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });
  const dialog = (page: Page): Locator => page.getByRole('dialog');
  const panel = (page: Page): Locator => page.getByRole('complementary', { name: /^(Payment|เงินเข้า)$/ });

  /** The id of the first payment that a query finds. */
  const firstPayment = async (query: string): Promise<string> => {
    const { body } = await admin.browser.get<{ data: { id: string }[] }>(`/api/payments?${query}`);
    return body.data[0]?.id ?? 'none';
  };

  it.each(['en', 'th'] as const)('are whole in %s, in both schemes and on a phone', async (language) => {
    const visitor = await arrive(admin, language);
    const { page } = visitor;
    const row = page.locator('[data-row-link]').first();
    await visitor.lookAt([
      ['deposits', '/deposits', () => row.waitFor()],
      ['deposit-one', `/deposits/${short.deposit_number}`, () => page.getByText(short.reference_id).waitFor()],
      ['payments', '/payments', () => row.waitFor()],
      ['channels', '/channels', () => row.waitFor()],
      ['channel', '/channels/kbank', () => page.getByText('004:0123456789').waitFor()],
      ['deposits-of-merchant', `/merchants/${merchant.id}/deposits`, () => row.waitFor()],
      ['deposits-home', '/', () => page.locator('main a[href^="/payments"]').first().waitFor()],
    ]);
    await visitor.open('/payments');
    await row.click();
    await panel(page).getByText('X1234 SOMCHAI').waitFor();
    await visitor.look('payment');
    await panel(page)
      .getByRole('button')
      .filter({ hasText: /^(Credit|เข้ากระเป๋า)$/ })
      .click();
    await dialog(page).getByText(name, { exact: true }).waitFor();
    await visitor.look('payment-credit');
    await visitor.leave();
  });

  it('wait on the home page with their age, also while the channels are not known', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/channels', async (route) => {
      await gate;
      await route.continue();
    });
    await visitor.open('/');
    const needed = page.getByRole('link', { name: /^2 payments wait for a decision, the oldest for / });
    await needed.waitFor();
    expect(await needed.textContent()).not.toContain('for 0\u00A0ms');
    const answered = page.waitForResponse('**/api/channels');
    release();
    await answered;
    await visitor.leave();
  });

  it('show the slips that were presented, and who reported a payment', async () => {
    const payment = await firstPayment('which=waiting&channel=kbank');
    await presentSlip(scene.console, short.deposit_number, '004:4711', 'SLIP_UNKNOWN');
    await presentSlip(scene.console, short.deposit_number, '014:4712');
    await scene.console.sql(`UPDATE incoming_payments SET slip_ref = '014:4712' WHERE public_id = $1`, [payment]);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/deposits/${short.deposit_number}`);
    await page.getByText('The sending bank does not know it').waitFor();
    await page.getByText('Its payment is not this deposit’s').waitFor();
    await visitor.look('deposit-slips');
    await page.getByRole('link', { name: payment }).click();
    await panel(page).getByText('A slip that the slip service confirmed · 014:4712').waitFor();
    await panel(page).getByText(`A bank statement that ${admin.email} imported`).waitFor();
    await visitor.leave();
  });

  it('are credited to the merchant that they name only if the operator names it, too', async () => {
    const other = await scene.stack.merchant('0.00');
    const payment = await firstPayment('amount=777.00');
    const name = (id: number | null): Promise<unknown> =>
      scene.console.sql(`UPDATE incoming_payments SET named_merchant_id = $2 WHERE public_id = $1`, [payment, id]);
    await name(other.id);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/payments?payment=${payment}`);
    await panel(page).getByRole('listitem').filter({ hasText: 'named by the payment' }).waitFor();
    expect(await panel(page).getByRole('button', { name: 'Credit', exact: true }).count()).toBe(0);
    await panel(page).getByRole('button', { name: 'Credit another' }).click();
    await dialog(page).getByText('A merchant', { exact: true }).click();
    await dialog(page).getByRole('textbox', { name: 'Merchant number' }).fill(String(other.id));
    await dialog(page).getByText('0.00').first().waitFor();
    await dialog(page).getByLabel('Reason').fill('its deposit was lost');
    expect(await dialog(page).getByRole('button', { name: 'Credit', exact: true }).isEnabled()).toBe(true);
    await dialog(page).getByText('A deposit', { exact: true }).click();
    await dialog(page).getByRole('textbox', { name: 'Deposit' }).fill(paid.deposit_number);
    // Beside the name of the day on which the payment was paid, there is the status of the deposit.
    await dialog(page).getByText('Paid', { exact: true }).nth(1).waitFor();
    await name(null);
    await visitor.leave();
  });

  it('are credited to nobody that the operator has not named, if that was done already perhaps', async () => {
    const payment = await firstPayment('amount=777.00');
    const set = (reason: string, deposit: string | null, takenBack: number | null = null): Promise<unknown> =>
      scene.console.sql(
        `UPDATE incoming_payments SET reason = $2, deposit_id = (SELECT id FROM deposits WHERE deposit_number = $3),
           taken_back = $4 WHERE public_id = $1`,
        [payment, reason, deposit, takenBack],
      );
    const visitor = await arrive();
    const { page } = visitor;
    const credit = async (): Promise<Locator> => {
      await visitor.open('/payments?amount=777.00');
      await page.getByRole('button', { name: 'Credit', exact: true }).click();
      return dialog(page);
    };
    const offered = (): Promise<number> =>
      panel(page).getByRole('listitem').getByRole('button', { name: 'Credit', exact: true }).count();
    await set('LARGE', short.deposit_number);
    await (await credit()).getByText(short.deposit_number).waitFor();
    await visitor.open(`/payments?payment=${payment}`);
    await panel(page).getByText(short.deposit_number).waitFor();
    expect(await offered()).toBe(1);
    for (const [reason, { deposit_number: number }, why, takenBack] of [
      ['DOUBLE', short, 'Perhaps paid or reported twice'],
      ['NOT_IN_STATEMENT', short, 'The statement does not have it'],
      ['TAKEN_BACK', short, 'It was taken back'],
      ['TOO_EARLY', short, 'Paid before its deposit was made'],
      ['LARGE', paid, 'It is large'],
      ['LARGE', short, 'It is large', 10_000],
    ] as const) {
      await set(reason, number, takenBack);
      const to = (await credit()).getByRole('textbox', { name: 'Deposit' });
      expect([reason, await to.inputValue()]).toEqual([reason, '']);
      expect(await page.locator('main').textContent()).toContain(why);
      await visitor.open(`/payments?payment=${payment}`);
      await panel(page).getByText(number).waitFor();
      expect([reason, await offered()]).toEqual([reason, 0]);
    }
    await set('UNMATCHED', null);
    await visitor.leave();
  });

  it('are credited by keyboard, with the merchant and its balance in the dialog', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('link', { name: /^2 payments wait for a decision/ }).waitFor();
    await visitor.goBy('d', '/payments');
    await page.locator('[data-row-link]').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await panel(page).getByText('1.00 too little').waitFor();
    await panel(page).getByRole('button', { name: 'Credit', exact: true }).click();
    const before = Number((await scene.stack.wallet(merchant)).available);
    await dialog(page).getByText(name, { exact: true }).waitFor();
    await dialog(page)
      .getByText(before.toLocaleString('en', { minimumFractionDigits: 2 }))
      .waitFor();
    const credit = dialog(page).getByRole('button', { name: 'Credit', exact: true });
    expect(await credit.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').fill('asked by phone');
    await credit.click();
    await page.getByText(/THB were credited$/).waitFor();
    expect(satang((await scene.stack.wallet(merchant)).available)).toBe(
      satang(before.toFixed(2)) + satang(short.amount_to_pay) - 100n,
    );
    await panel(page).getByText('asked by phone').waitFor();
    await dialog(page).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('are decided about only when they are shown, not while another one loads', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const { body } = await admin.browser.get<{ data: { id: string }[] }>('/api/payments');
    const [one = 'none', other = 'none'] = body.data.map(({ id }) => id);
    await visitor.open(`/payments?which=all&payment=${one}`);
    await panel(page).getByText(one).waitFor();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const asked = page.waitForRequest((request) => request.url().endsWith(`/api/payments/${other}`));
    await page.route(`**/api/payments/${other}`, async (route) => {
      await answered;
      await route.continue();
    });
    await page.locator('[data-row-link]').nth(1).click();
    await asked;
    await page.waitForURL((url) => url.search.includes(other));
    expect([await panel(page).count(), await panel(page).getByText(one).count()]).toEqual([1, 0]);
    answer();
    await panel(page).getByText(other).waitFor();
    await visitor.leave();
  });

  it('are found by their amount as the list shows it, with commas', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const shown = Number(paid.amount_to_pay).toLocaleString('en', { minimumFractionDigits: 2 });
    await visitor.open(`/payments?which=all&amount=${shown}`);
    await page.getByRole('row').filter({ hasText: shown }).waitFor();
    await visitor.leave();
  });

  it('are ignored in the list, and a second operator learns that', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/payments?amount=777.00');
    await page.locator('[data-row-link]').first().click();
    const ignore = panel(page).getByRole('button', { name: 'Ignore' });
    await ignore.click();
    await dialog(page).waitFor();
    // It closes the dialog, but not the panel below it, and the focus returns there.
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
    await ignore.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await dialog(page).getByLabel('Reason').fill('interest');
    const { body } = await admin.browser.get<{ data: { id: string }[] }>('/api/payments?amount=777.00');
    await dialog(page)
      .getByText(body.data[0]?.id ?? 'none')
      .waitFor();
    await admin.browser.post(`/api/payments/${body.data[0]?.id}/return`, { reference: 'BACK-1', reason: 'sent back' });
    await dialog(page).getByRole('button', { name: 'Ignore' }).click();
    await dialog(page).getByText(`was decided by ${admin.email} (return)`).waitFor();
    await visitor.look('payment-late');
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('have the day of a statement without times in every zone, and the reference of their return', async () => {
    const payment = await firstPayment('amount=777.00');
    const onDay = `UPDATE incoming_payments SET precision = 'day', paid_at = '2026-11-23T17:00Z' WHERE public_id = $1`;
    await scene.console.sql(onDay, [payment]);
    const finance = await scene.console.signedIn('finance');
    await finance.browser.send('PATCH', '/api/me', { timezone: 'UTC' });
    const visitor = await arrive(finance);
    const { page } = visitor;
    await visitor.open(`/payments?which=all&amount=777.00&payment=${payment}`);
    await panel(page).getByText('24 Nov 2026', { exact: true }).waitFor();
    await panel(page).getByText('BACK-1', { exact: true }).waitFor();
    await panel(page).getByRole('button', { name: 'Close' }).click();
    const row = page.getByRole('row').filter({ hasText: '777.00' });
    await row.getByText(/^24 Nov( 2026)?$/).waitFor();
    expect(await row.textContent()).not.toContain('no deposit near it');
    await visitor.leave();
  });

  it('are taken back although the orders of the merchant change its balance all the time', async () => {
    const payment = await firstPayment(`amount=${paid.amount_to_pay}`);
    const refund = `UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = 10000 WHERE public_id = $1`;
    await scene.console.sql(refund, [payment]);
    const visitor = await arrive();
    const { page } = visitor;
    await page.route('**/api/payments/*/debit', async (route) => {
      await scene.stack.credit(merchant.id, '1.00');
      await route.continue();
    });
    await visitor.open(`/payments?which=all&payment=${payment}`);
    await panel(page).getByRole('button', { name: 'Take back' }).click();
    await dialog(page).getByLabel('Reason').fill('the bank reversed it');
    const takeBack = dialog(page).getByRole('button', { name: 'Take back' });
    const before = satang((await scene.stack.wallet(merchant)).available);
    await takeBack.click();
    await dialog(page).getByText('The balance changed meanwhile').waitFor();
    await dialog(page).getByLabel('Go on, whatever the balance is by then').check();
    await takeBack.click();
    await page.getByText('100.00 THB were taken back').waitFor();
    expect(satang((await scene.stack.wallet(merchant)).available)).toBe(before + 200n - 10_000n);
    // A later statement opens the case again, of which nothing is left to take back.
    const contradict = `UPDATE incoming_payments SET reason = 'CONTRADICTION', contradicted = true, decision = NULL,
                          decided_by = NULL, decision_reason = NULL, decided_at = NULL WHERE public_id = $1`;
    await scene.console.sql(contradict, [payment]);
    await visitor.open(`/payments?which=all&payment=${payment}`);
    await panel(page).getByRole('button', { name: 'Keep' }).waitFor();
    expect(await panel(page).getByRole('button', { name: 'Take back' }).count()).toBe(0);
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('have another amount to take back in the dialog, once the API has refused the one that it showed', async () => {
    const payment = await firstPayment(`amount=${paid.amount_to_pay}`);
    const takenBack = (amount: number): Promise<unknown> =>
      scene.console.sql(`UPDATE incoming_payments SET reason = 'TAKEN_BACK', taken_back = $2 WHERE public_id = $1`, [
        payment,
        amount,
      ]);
    await takenBack(15_000);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/payments?which=all&payment=${payment}`);
    await panel(page).getByRole('button', { name: 'Take back' }).click();
    await dialog(page).getByText('Take back 50.00 THB').waitFor();
    await takenBack(20_000);
    await dialog(page).getByLabel('Reason').fill('the bank reversed more');
    const takeBack = dialog(page).getByRole('button', { name: 'Take back' });
    await takeBack.click();
    await dialog(page).getByText('are to be taken back now').waitFor();
    await dialog(page).getByText('Take back 100.00 THB').waitFor();
    await takeBack.click();
    await page.getByText('100.00 THB were taken back').waitFor();
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('are hidden from operators who may not read them', async () => {
    const stranger = await arrive(await scene.console.signedIn('viewer'));
    await stranger.open('/payments');
    await stranger.page.getByText('The permission deposits.read is missing.').waitFor();
    expect(await stranger.page.getByRole('link', { name: 'Deposits' }).count()).toBe(1);
    await stranger.leave(/Failed to load resource.*403/);
  });
});
