import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { BankAccount, COLUMNS, newPromptPayId } from '../../deposits/scene.js';
import { OpnBench, PUBLIC_KEY, SECRET_KEY } from '../../simulators/opn-client.js';
import { deferred } from '../../support/deferred.js';
import type { TestOperator } from '../console-stack.js';
import { sendStatement } from '../deposits/deposits-desk.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

const MINUTE_MS = 60_000;

describeInBrowser('Channels and the payments of their statements, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;
  let account: BankAccount;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
    const options = { promptpay_id: newPromptPayId(), account: '004:0123456789', columns: COLUMNS };
    await admin.browser.send('PUT', '/api/channels/kbank', { adapter: 'promptpay', options });
    const at = new Date();
    account = new BankAccount().add(
      { at, amount: 250_000n, text: 'Transfer from X4411 MR. ANAN' },
      { at, amount: 99_900n, text: 'Transfer from X1234 SOMCHAI' },
      { at, amount: 77_700n, text: 'Transfer from X9001 KANYA' },
    );
    const { body } = await sendStatement(admin.browser, 'import', 'kbank', account.statement());
    expect(body).toMatchObject({ booked: 0, waiting: 3 });
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  const arrive = (): Promise<Visitor> => Visitor.arrive(browser, scene.console, { as: admin });
  const dialog = (page: Page): Locator => page.getByRole('dialog');
  /** Opens the dialog of an import. */
  const beginImport = async (visitor: Visitor): Promise<void> => {
    await visitor.open('/channels/kbank');
    await visitor.page.getByRole('button', { name: 'Import' }).click();
  };
  const choose = (page: Page, content = account.statement(), name = 'kbank.csv'): Promise<void> =>
    dialog(page)
      .locator('input[type=file]')
      .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });

  it('come by bank statements, which are shown before they are imported', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await beginImport(visitor);
    await choose(page, 'a,b\n1,2\n');
    await dialog(page).getByText('UNKNOWN_COLUMNS').waitFor();
    await visitor.look('statement-refused');
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -5_000n, text: 'Fee' });
    await choose(page);
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
    await beginImport(visitor);
    await choose(page, 'a,b\n1,2\n', 'wrong.csv');
    await choose(page);
    await dialog(page).getByText('0 new, 4 known').waitFor();
    const late = page.waitForResponse('**/api/statements/preview?*');
    release();
    await (await late).finished();
    await visitor.glance('statement-latest');
    expect(await dialog(page).getByText('UNKNOWN_COLUMNS').count()).toBe(0);
    expect(await dialog(page).getByText('0 new, 4 known').count()).toBe(1);
    // Otherwise the same file, chosen again, would not be read again.
    expect(await dialog(page).locator('input[type=file]').inputValue()).toBe('');
    await visitor.leave();
  });

  it('come by statements whose texts the bank has changed, once an operator accepts that with a reason', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const [, , kanya] = account.lines;
    Object.assign(kanya ?? {}, { text: 'Transfer from X9001 KANYA JAIDEE' });
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -1_000n, text: 'Fee' });
    await beginImport(visitor);
    await choose(page);
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
    await beginImport(visitor);
    await choose(page);
    await dialog(page).getByText('1 new, 5 known').waitFor();
    const take = dialog(page).getByRole('button', { name: 'Import', exact: true });
    await take.click();
    await dialog(page).getByText('All lines were imported before.').waitFor();
    await dialog(page).getByText('it may have been done').waitFor();
    expect(await take.isDisabled()).toBe(true);
    await visitor.leave(/Failed to load resource.*ERR_FAILED/);
  });

  it('come by a statement that no other one replaces while it is imported', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    account.add({ at: new Date(Date.now() + MINUTE_MS), amount: -3_000n, text: 'Fee' });
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/statements/import?*', async (route) => {
      await gate;
      await route.continue();
    });
    await beginImport(visitor);
    await choose(page);
    await dialog(page).getByText('1 new, 6 known').waitFor();
    const asked = page.waitForRequest('**/api/statements/import?*');
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await asked;
    expect(await dialog(page).locator('input[type=file]').isDisabled()).toBe(true);
    release();
    await page.getByText('Imported: 0 credited, 0 waiting').waitFor();
    await visitor.leave();
  });

  it('are counted in the preview also if a slip or the vendor reported them before', async () => {
    const { body } = await sendStatement(admin.browser, 'preview', 'kbank', account.statement());
    const visitor = await arrive();
    const { page } = visitor;
    await page.route('**/api/statements/preview?*', (route) => route.fulfill({ json: { ...body, linked: 41 } }));
    await beginImport(visitor);
    await choose(page);
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
    const save = dialog(page).getByRole('button', { name: 'Save' });
    for (const [label, wrong, right, words] of [
      ['Smallest deposit, THB', '1500,00', '150.00', 'An amount such as 1,240.50'],
      ['Priority, the lowest number first', '10.5', '100', 'A whole number such as 10'],
    ] as const) {
      await dialog(page).getByLabel(label).fill(wrong);
      await dialog(page).getByText(words).waitFor();
      expect(await save.isDisabled()).toBe(true);
      await dialog(page).getByLabel(label).fill(right);
      await dialog(page).getByText(words).waitFor({ state: 'detached' });
    }
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
    const since = dialog(page).getByRole('textbox', { name: 'Since' });
    await since.fill('2099-01-01');
    await dialog(page).getByText('That day is still to come.').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Sync now' }).isDisabled()).toBe(true);
    await since.fill('');
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
});
