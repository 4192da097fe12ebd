import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { codeOf, ConsoleStack, PASSWORD } from '../console-stack.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

/** What the browser itself says of an answer such as 401. */
const REFUSED = /Failed to load resource/;

const signIn = async (page: Page, email: string, password = PASSWORD): Promise<void> => {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
};

describeInBrowser('Signing in, in a browser', () => {
  let stack: ConsoleStack;
  let browser: Browser;
  beforeAll(async () => {
    [stack, browser] = await Promise.all([ConsoleStack.start({}, { pagesFrom: BUILT }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  it('leads to where one wanted to go, and out again', async () => {
    const { email } = await stack.operator('support');
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open('/me');
    await page.waitForURL('**/login?next=%2Fme');
    await signIn(page, email, 'not the password at all');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('That did not work');
    await visitor.look('login-refused');
    await signIn(page, email);
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/me');
    await page.getByRole('button', { name: /operator-/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/login');
    await visitor.leave(REFUSED);
  });

  it('never leads to another site', async () => {
    const { email } = await stack.operator('support');
    const visitor = await Visitor.arrive(browser, stack);
    await visitor.open('/login?next=//evil.example/');
    await signIn(visitor.page, email);
    await visitor.page.getByRole('navigation').first().waitFor();
    expect(new URL(visitor.page.url()).origin).toBe(stack.url);
    await visitor.leave(REFUSED);
  });

  it('asks for the code of a second factor', async () => {
    const { email, secret = '' } = await stack.withSecondFactor();
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open('/login?next=/me');
    await signIn(page, email);
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await visitor.look('login-code');
    await page.keyboard.type(await codeOf(secret));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await visitor.leave(REFUSED);
  });

  it('begins with the link of an administrator, which sets the password', async () => {
    const { operator, link } = await stack.operators.create({
      email: 'new@shop.example',
      name: 'Mali Suksai',
      role: 'viewer',
    });
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open(`/set-up${new URL(link).hash}`);
    await page.getByLabel('New password').waitFor();
    await visitor.look('set-up');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signIn(page, operator.email);
    await page.getByRole('button', { name: 'Mali Suksai' }).waitFor();
    await visitor.leave(REFUSED);
  });

  it.each(['en', 'th'] as const)(
    'is shown in %s, in light and dark, on a wide screen and on a phone',
    async (language) => {
      const visitor = await Visitor.arrive(browser, stack, { language });
      await visitor.open('/login');
      await visitor.page.locator('form').waitFor();
      await visitor.look('login');
      await visitor.leave(REFUSED);
    },
  );
});
