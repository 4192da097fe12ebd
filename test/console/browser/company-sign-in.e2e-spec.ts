import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { Company, CLIENT } from '../../support/company.js';
import { keptPort } from '../../support/kept-port.js';
import { ConsoleStack } from '../console-stack.js';
import { axeFindings, BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

/** Messages of the browser itself about answers such as 401, and about the provider's pages. */
const REFUSED = /Failed to load resource/;
const AT_COMPANY = /^asked http:\/\/localhost:/;

describeInBrowser('Signing in with the company’s account, in a browser', () => {
  let company: Company;
  let stack: ConsoleStack;
  let browser: Browser;
  beforeAll(async () => {
    const port = await keptPort();
    const url = `http://127.0.0.1:${port}`;
    company = await (await Company.make(`${url}/login/company`)).listen();
    const people = { name: 'Mali Suksai', email_verified: true };
    company.people.set('mali', { ...people, email: 'mali@acme.example', groups: ['helpers'] });
    company.people.set('stranger', { ...people, email: 'stranger@acme.example', groups: [] });
    [stack, browser] = await Promise.all([
      ConsoleStack.start(
        {
          CONSOLE_URL: url,
          CONSOLE_OIDC_ISSUER: company.issuer,
          CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
          CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
          CONSOLE_OIDC_ROLES: 'helpers=support',
          CONSOLE_OIDC_NAME: 'Acme',
        },
        { pagesFrom: BUILT, port },
      ),
      launchBrowser(),
    ]);
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
    await company.close();
  });

  /** Signs in by keyboard alone. */
  const signInAs = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Sign in with Acme' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Who are you?').fill(name);
    await page.keyboard.press('Enter');
  };

  it('leads to the company’s site and back to the requested page', async () => {
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open('/orders?status=failed');
    await page.waitForURL('**/login?next=*');
    await signInAs(page, 'mali');
    await page.getByRole('button', { name: 'Mali Suksai' }).waitFor();
    const { pathname, search } = new URL(page.url());
    expect(pathname + search).toBe('/orders?status=failed');
    const cookies = await visitor.context.cookies(stack.url);
    expect(cookies.find(({ name }) => name === 'console')).toMatchObject({
      sameSite: 'Strict',
      httpOnly: true,
    });
    await visitor.open('/me');
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    // The account has no password that could be changed.
    expect(await page.getByLabel('Current password').count()).toBe(0);
    await page.getByRole('button', { name: 'Mali Suksai' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/login');
    await visitor.leave(REFUSED, AT_COMPANY);
  });

  it('makes an operator without password and code sign in again before a sensitive action', async () => {
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open('/login?next=/me');
    await signInAs(page, 'mali');
    await page.getByRole('button', { name: 'Set up a second factor' }).waitFor();
    await stack.sql(`UPDATE operator_sessions SET confirmed_at = now() - interval '11 minutes'`);
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('dialog').getByText('Sign in again').waitFor();
    // Behind it a button keeps spinning, so the page never rests.
    expect(await axeFindings(page)).toEqual([]);
    await visitor.picture('company-confirm');
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in with Acme' }).click();
    // The company’s own session still exists, and it asks the operator to confirm.
    await page.getByLabel('Who are you?').fill('mali');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/me');
    await page.getByRole('button', { name: 'Set up a second factor' }).click();
    await page.getByRole('textbox', { name: 'Code' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/me');
    await visitor.leave(REFUSED, AT_COMPANY);
  });

  it('tells an operator without a role that they have no access', async () => {
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open('/login');
    await signInAs(page, 'stranger');
    await page.getByRole('heading', { name: 'You have no access' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('gives you no role in this console');
    await visitor.look('company-no-access');
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('E-mail').waitFor();
    await visitor.leave(REFUSED, AT_COMPANY);
  });

  it('reports that the company’s sign-in is unavailable, and accepts passwords meanwhile', async () => {
    const { email } = await stack.operator('support');
    const downPort = await keptPort();
    const down = await ConsoleStack.start(
      {
        CONSOLE_URL: `http://127.0.0.1:${downPort}`,
        CONSOLE_OIDC_ISSUER: `http://127.0.0.1:${await keptPort()}`,
        CONSOLE_OIDC_CLIENT_ID: CLIENT.id,
        CONSOLE_OIDC_CLIENT_SECRET: CLIENT.secret,
        CONSOLE_OIDC_ROLES: 'helpers=support',
        DATABASE_URL: stack.config.DATABASE_URL,
      },
      { pagesFrom: BUILT, port: downPort },
    );
    try {
      const visitor = await Visitor.arrive(browser, down);
      const { page } = visitor;
      await visitor.open('/login');
      await page.getByRole('button', { name: 'Sign in with your company account' }).click();
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('does not answer');
      await page.getByLabel('E-mail').fill(email);
      await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
      await page.keyboard.press('Enter');
      await page.getByRole('navigation').first().waitFor();
      await visitor.leave(REFUSED);
    } finally {
      await down.close();
    }
  });

  it.each(['en', 'th'] as const)(
    'is shown in %s, in light and dark, on a wide screen and on a phone',
    async (language) => {
      const visitor = await Visitor.arrive(browser, stack, { language });
      await visitor.open('/login');
      await visitor.page.getByRole('button', { name: /Acme/ }).waitFor();
      await visitor.look('login-company');
      await visitor.open('/login/company?error=access_denied&state=unknown');
      await visitor.page.getByRole('alert').waitFor();
      await visitor.look('company-failed');
      await visitor.leave(REFUSED);
    },
  );
});
