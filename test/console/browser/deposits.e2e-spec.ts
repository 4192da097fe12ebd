import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { BankAccount, COLUMNS, newPromptPayId, satang, type DepositView } from '../../deposits/scene.js';
import { closeWithBalancedBooks } from '../../support/books.js';
import { OpnBench, PUBLIC_KEY, SECRET_KEY } from '../../simulators/opn-client.js';
import { deferred } from '../../support/deferred.js';
import type { TestMerchant } from '../../support/stack.js';
import type { TestOperator } from '../console-stack.js';
import { addDeposit, presentSlip, sendStatement } from '../deposits/deposits-desk.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

const MINUTE_MS = 60_000;

describeInBrowser('Deposits, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;
  let merchant: TestMerchant;
  let name: string;
  let account: BankAccount;
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
    account = new BankAccount().add(
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

  it('come by bank statements, which are shown before they are imported', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = dialog(page).locator('input[type=file]');
    const choose = (content: string): Promise<void> =>
      file.setInputFiles({ name: 'kbank.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });
    await choose('a,b\n1,2\n');
    await dialog(page).getByText('UNKNOWN_COLUMNS').waitFor();
    await visitor.look('statement-refused');
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -5_000n, text: 'Fee' });
    await choose(account.statement());
    await dialog(page).getByText('1 new, 3 known').waitFor();
    await visitor.look('statement-preview');
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported: 0 credited, 0 waiting').waitFor();
    await visitor.leave();
  });

  it('are shown of the statement that was chosen last, also if the preview of another one comes later', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const { promise: gate, resolve: release } = deferred<void>();
    let previews = 0;
    await page.route('**/api/statements/preview?*', async (route) => {
      previews += 1;
      if (previews === 1) await gate;
      await route.continue();
    });
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = dialog(page).locator('input[type=file]');
    const choose = (name: string, content: string): Promise<void> =>
      file.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    await choose('wrong.csv', 'a,b\n1,2\n');
    await choose('kbank.csv', account.statement());
    await dialog(page).getByText('0 new, 4 known').waitFor();
    const late = page.waitForResponse('**/api/statements/preview?*');
    release();
    await (await late).finished();
    await visitor.glance('statement-latest');
    expect(await dialog(page).getByText('UNKNOWN_COLUMNS').count()).toBe(0);
    expect(await dialog(page).getByText('0 new, 4 known').count()).toBe(1);
    // Otherwise the same file, chosen again, would not be read again.
    expect(await file.inputValue()).toBe('');
    await visitor.leave();
  });

  it('come by statements whose texts the bank has changed, once an operator accepts that with a reason', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const [, , kanya] = account.lines;
    Object.assign(kanya ?? {}, { text: 'Transfer from X9001 KANYA JAIDEE' });
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -1_000n, text: 'Fee' });
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = { name: 'kbank.csv', mimeType: 'text/csv', buffer: Buffer.from(account.statement()) };
    await dialog(page).locator('input[type=file]').setInputFiles(file);
    await dialog(page).getByText('LINE_MISSING').waitFor();
    await visitor.look('statement-texts');
    await dialog(page)
      .getByRole('button', { name: /^Accept the texts of / })
      .click();
    await dialog(page).getByText('1 new, 4 known').waitFor();
    const take = dialog(page).getByRole('button', { name: 'Import', exact: true });
    expect(await take.isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').fill('the bank completed its texts');
    await take.click();
    await page.getByText('Imported: 0 credited, 0 waiting').waitFor();
    await visitor.leave();
  });

  it('come by a statement whose import got no answer, and the preview shows that they came', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -2_000n, text: 'Fee' });
    await page.route('**/api/statements/import?*', async (route) => {
      await sendStatement(admin.browser, 'import', 'kbank', account.statement());
      await route.abort();
    });
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = { name: 'kbank.csv', mimeType: 'text/csv', buffer: Buffer.from(account.statement()) };
    await dialog(page).locator('input[type=file]').setInputFiles(file);
    await dialog(page).getByText('1 new, 5 known').waitFor();
    const take = dialog(page).getByRole('button', { name: 'Import', exact: true });
    await take.click();
    await dialog(page).getByText('All lines were imported before.').waitFor();
    await dialog(page).getByText('it may have been done').waitFor();
    expect(await take.isDisabled()).toBe(true);
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });

  it('are counted in the preview also if a slip or the vendor reported them before', async () => {
    const { body } = await sendStatement(admin.browser, 'preview', 'kbank', account.statement());
    const visitor = await arrive();
    const { page } = visitor;
    await page.route('**/api/statements/preview?*', (route) => route.fulfill({ json: { ...body, linked: 41 } }));
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Import' }).click();
    const file = { name: 'kbank.csv', mimeType: 'text/csv', buffer: Buffer.from(account.statement()) };
    await dialog(page).locator('input[type=file]').setInputFiles(file);
    await dialog(page).getByText('Reported before').waitFor();
    await dialog(page).getByText('41', { exact: true }).waitFor();
    await visitor.leave();
  });

  it('have channels, whose change is shown first', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/channels/kbank');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    // An empty limit is kept, so it is no change.
    await dialog(page).getByLabel('Smallest deposit, THB').fill('');
    await dialog(page).getByText('Nothing yet').waitFor();
    await dialog(page).getByLabel('spread').fill('5');
    await dialog(page).getByLabel('Smallest deposit, THB').fill('200.00');
    await dialog(page).getByRole('listitem').filter({ hasText: 'Smallest deposit, THB: 100.00 → 200.00' }).waitFor();
    await visitor.look('channel-settings');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText('kbank was saved').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog(page).getByLabel('Reason').fill('the bank is down');
    await dialog(page).getByRole('button', { name: 'Pause' }).click();
    await page.getByText('kbank takes no new deposits now').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog(page).getByText('Merchants can announce deposits to kbank from now on.').waitFor();
    await dialog(page).getByRole('button', { name: 'Resume' }).click();
    await page.getByText('kbank takes new deposits again').waitFor();
    await visitor.leave();
  });

  it('have a vendor, whose channel is added with its credentials, and whose list is read now', async () => {
    // They would read the list of the new channel, too, and two at once are refused.
    await scene.stack.stopWorkers();
    const bench = new OpnBench();
    const opn = await bench.start();
    await opn.charge('dep_0000000000000000');
    await opn.sim('settle', { ref_id: 'dep_0000000000000000', status: 'successful' });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/channels');
    await page.getByRole('button', { name: 'Add a channel' }).click();
    await dialog(page).getByLabel('Adapter').selectOption('opn');
    await dialog(page).getByRole('textbox', { name: /^Code/ }).fill('gateway');
    await dialog(page).getByLabel('Address').fill(opn.url);
    await dialog(page).getByLabel('public_key').fill(PUBLIC_KEY);
    await dialog(page).getByLabel('secret_key').fill(SECRET_KEY);
    await dialog(page).getByRole('button', { name: 'Add a channel' }).click();
    await page.getByText('gateway was saved').waitFor();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await visitor.look('channel-sync');
    await dialog(page).getByRole('button', { name: 'Sync now' }).click();
    // The page may have repeated the request after a 503.
    await page.getByText(/^1 read: [01] new, 0 credited, [01] waiting, 0 taken back$/).waitFor();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await dialog(page).getByLabel('secret_key').fill('typed and erased');
    await dialog(page).getByRole('listitem').filter({ hasText: 'secret_key' }).waitFor();
    await dialog(page).getByLabel('secret_key').fill('');
    await dialog(page).getByLabel('Address').fill('');
    await dialog(page).getByText('Nothing yet').waitFor();
    await visitor.leave();
    await bench.clear();
    await scene.stack.startWorker();
  });

  it('are hidden from operators who may not read them', async () => {
    const stranger = await arrive(await scene.console.signedIn('viewer'));
    await stranger.open('/payments');
    await stranger.page.getByText('The permission deposits.read is missing.').waitFor();
    expect(await stranger.page.getByRole('link', { name: 'Deposits' }).count()).toBe(1);
    await stranger.leave(/Failed to load resource.*403/);
  });
});
