import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page, Request } from 'playwright-core';
import { deferred } from '../../support/deferred.js';
import { eventually } from '../../support/eventually.js';
import { codeOf, ConsoleStack, PASSWORD } from '../console-stack.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor } from './chromium-browser.js';

/** Messages of the browser itself about answers such as 401. */
const REFUSED = /Failed to load resource/;

const SHOWN = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Console:mali@shop.example?issuer=Console&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
};

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

  it('leads to the requested page, and signing out leads back', async () => {
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

  it('shows the next operator nothing that the browser kept of the one before', async () => {
    const before = await stack.signedIn('admin');
    const next = await stack.operator('admin');
    const visitor = await Visitor.arrive(browser, stack, { as: before });
    const { page } = visitor;
    await visitor.open('/operators');
    await page.locator('main table').waitFor();
    await before.browser.send('DELETE', '/api/session');
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.waitForURL('**/login?next=%2Flog');
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/operators', async (route) => {
      await gate;
      await route.continue();
    });
    await signIn(page, next.email);
    await page.waitForURL('**/log');
    await page.getByRole('link', { name: 'Operators', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Operators' }).waitFor();
    await page.locator('main [aria-busy="true"]').waitFor({ state: 'attached' });
    expect(await page.locator('main table').count()).toBe(0);
    release();
    await page.locator('main table').waitFor();
    await visitor.leave(REFUSED);
  });

  it('stays signed in if signing out fails, and says so', async () => {
    const visitor = await Visitor.arrive(browser, stack, { as: await stack.signedIn('support') });
    const { page } = visitor;
    await page.route('**/api/session', (route) =>
      route.request().method() === 'DELETE' ? route.abort() : route.continue(),
    );
    await visitor.open('/me');
    await page.getByRole('button', { name: /operator-/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^You may still be signed in: / })
      .waitFor();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await visitor.leave(REFUSED);
  });

  it('shows a chosen language at once, and goes back to the one before if the account can’t store it', async () => {
    const support = await stack.signedIn('support');
    await support.browser.send('PATCH', '/api/me', { language: 'en' });
    const visitor = await Visitor.arrive(browser, stack, { as: support });
    const { page } = visitor;
    await visitor.open('/me');
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/me', async (route) => {
      await gate;
      await route.abort();
    });
    await page.getByText('ไทย', { exact: true }).click();
    await page.getByRole('heading', { name: 'บัญชีของฉัน' }).waitFor();
    // The pointer over a link loads its page in advance.
    const loaded = page.waitForResponse(/\/assets\/orders-[^/]+\.js$/);
    await page.getByRole('link', { name: 'คำสั่งซื้อ', exact: true }).hover();
    await loaded;
    expect(await page.locator('html').getAttribute('lang')).toBe('th');
    release();
    await page
      .getByRole('alert')
      .filter({ hasText: /^This choice may not be stored: / })
      .waitFor();
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    await visitor.leave(REFUSED);
  });

  it('keeps the time zone that is chosen while the language is being stored', async () => {
    const support = await stack.signedIn('support');
    await support.browser.send('PATCH', '/api/me', { language: 'en', timezone: 'Asia/Bangkok' });
    const visitor = await Visitor.arrive(browser, stack, { as: support });
    const { page } = visitor;
    await visitor.open('/me');
    const zone = page.locator('main select');
    await zone.waitFor();
    const gates = { language: deferred<void>(), timezone: deferred<void>() };
    const chosenIn = (request: Request): keyof typeof gates =>
      request.postData()?.includes('timezone') ? 'timezone' : 'language';
    await page.route('**/api/me', async (route) => {
      if (route.request().method() === 'PATCH') await gates[chosenIn(route.request())].promise;
      await route.continue();
    });
    await page.getByText('ไทย', { exact: true }).click();
    await page.getByRole('heading', { name: 'บัญชีของฉัน' }).waitFor();
    await zone.selectOption('Europe/Berlin');
    expect(await zone.inputValue()).toBe('Europe/Berlin');
    // Once the language is stored, the page stores the zone, or would read the account, which lacks the zone.
    const next = Promise.race([
      page.waitForRequest((request) => request.method() === 'PATCH' && chosenIn(request) === 'timezone'),
      page.waitForResponse('**/api/session'),
    ]);
    gates.language.resolve();
    await next;
    await page.getByRole('link', { name: 'คำสั่งซื้อ', exact: true }).click();
    await page.waitForURL('**/orders');
    await page.goBack();
    await page.getByRole('heading', { name: 'บัญชีของฉัน' }).waitFor();
    expect(await zone.inputValue()).toBe('Europe/Berlin');
    gates.timezone.resolve();
    await eventually(
      async () => (await support.browser.get<{ language: string; timezone: string }>('/api/me')).body,
      ({ language, timezone }) => language === 'th' && timezone === 'Europe/Berlin',
    );
    await visitor.leave();
  });

  it('shows Thai letters in the font of the console', async () => {
    const visitor = await Visitor.arrive(browser, stack, { language: 'th' });
    await visitor.open('/login');
    await visitor.page.getByRole('textbox').first().waitFor();
    // A browser loads a font only when letters need it.
    const loaded = await eventually(
      () =>
        visitor.page.evaluate<string[]>(
          `Array.from(document.fonts).filter(({ status }) => status === 'loaded').map(({ family }) => family)`,
        ),
      ({ length }) => length > 0,
    );
    expect(loaded).toEqual([expect.stringContaining('Noto Sans Thai')]);
    await visitor.leave(REFUSED);
  });

  it('is in English while the Thai texts can’t be loaded', async () => {
    const { email } = await stack.operator('support');
    const visitor = await Visitor.arrive(browser, stack, { language: 'th' });
    const { page } = visitor;
    await page.route(/\/assets\/th-[^/]+\.js$/, (route) => route.abort());
    await visitor.open('/login?next=/me');
    await signIn(page, email);
    await page.getByRole('heading', { name: 'My account' }).waitFor();
    // The browser has not forgotten the language.
    await page.unrouteAll();
    await visitor.open('/login');
    await page.getByRole('button', { name: 'เข้าสู่ระบบ' }).waitFor();
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

  it('gets a second factor on the page of the account, with recovery codes that are shown once', async () => {
    const visitor = await Visitor.arrive(browser, stack, { as: await stack.signedIn('support') });
    const { page } = visitor;
    const begin = async (): Promise<void> => {
      await visitor.open('/me');
      await page.getByRole('button', { name: 'Set up a second factor' }).click();
      await page.getByRole('img', { name: 'QR code' }).waitFor();
    };
    // Pictures show the same secret each time, and never a real one.
    await page.route('**/api/me/second-factor', (route) => route.fulfill({ json: SHOWN }));
    await begin();
    await page.getByRole('button', { name: 'Turn it on' }).scrollIntoViewIfNeeded();
    await visitor.look('second-factor');
    await page.unroute('**/api/me/second-factor');
    await begin();
    const secret = await page.locator('form code').textContent();
    await page.getByRole('textbox', { name: 'Code' }).fill(await codeOf(secret ?? ''));
    await page.keyboard.press('Enter');
    await page.getByText('Keep these recovery codes in a safe place').waitFor();
    await visitor.look('recovery-codes');
    await page.getByRole('button', { name: 'I kept them' }).click();
    await page.getByText('Signing in asks for a code from your app.').waitFor();
    await visitor.leave();
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
    expect(await page.getByLabel('E-mail').inputValue()).toBe(operator.email);
    await visitor.look('set-up');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Mali Suksai' }).waitFor();
    const again = await Visitor.arrive(browser, stack);
    await again.open(`/set-up${new URL(link).hash}`);
    await again.page.getByText('This link was used, or has expired').waitFor();
    await again.leave(REFUSED, /Failed to load resource.*404/);
    await visitor.leave(REFUSED);
  });

  it('goes on with the same link and password after answers were lost', async () => {
    const { link } = await stack.operators.create({ email: 'far@shop.example', name: 'Far Away', role: 'viewer' });
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    await visitor.open(`/set-up${new URL(link).hash}`);
    await page.getByLabel('New password').fill(PASSWORD);
    const fails = async (path: string): Promise<void> => {
      const failed = page.waitForEvent('requestfailed', (request) => request.url().endsWith(path));
      await page.keyboard.press('Enter');
      await failed;
      await page.getByRole('alert').waitFor();
      await page.unrouteAll();
    };
    // The service sets the password, but the browser never learns of it.
    await page.route('**/api/set-up', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await fails('/api/set-up');
    await page.route('**/api/session', (route) => route.abort());
    await fails('/api/session');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Far Away' }).waitFor();
    await visitor.leave(REFUSED);
  });

  it('says that the link was used, also when another person set another password', async () => {
    const { link } = await stack.operators.create({ email: 'late@shop.example', name: 'Too Late', role: 'viewer' });
    const visitor = await Visitor.arrive(browser, stack);
    const { page } = visitor;
    const { hash } = new URL(link);
    await visitor.open(`/set-up${hash}`);
    const fill = (password: string): Promise<void> => page.getByLabel('New password').fill(password);
    await fill(PASSWORD);
    // The service never got this password. The browser can't know that, so it tries to sign in with it, once.
    await page.route('**/api/set-up', (route) => route.abort());
    const failed = page.waitForEvent('requestfailed');
    await page.keyboard.press('Enter');
    await failed;
    await page.getByRole('alert').waitFor();
    await page.unrouteAll();
    const origin = { ip: '203.0.113.7', requestId: 'req_4711' };
    await stack.operators.setUp(hash.slice(1), `${PASSWORD}, but another`, origin);
    const press = async (last: string): Promise<string | null> => {
      const answer = page.waitForResponse((response) => response.url().endsWith(last));
      await page.keyboard.press('Enter');
      await answer;
      return page.getByRole('alert').textContent();
    };
    const signIns: string[] = [];
    page.on('request', (request) => request.url().endsWith('/api/session') && signIns.push(request.method()));
    const message = await press('/api/session');
    expect([await press('/api/set-up'), signIns]).toEqual([message, ['POST']]);
    await fill(`${PASSWORD}, but a third`);
    expect([await press('/api/set-up'), await press('/api/set-up')]).toEqual([message, message]);
    expect(signIns).toEqual(['POST']);
    await visitor.leave(REFUSED, /Failed to load resource.*404/);
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
