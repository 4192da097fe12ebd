import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { MerchantsService } from '../../../src/merchants/merchants.service.js';
import { deferred } from '../../support/deferred.js';
import { refused } from '../../support/fake-supplier.js';
import { eventually } from '../../support/eventually.js';
import { unique, type OrderBody } from '../../support/stack.js';
import { sellsCodes } from '../../deliveries/handed-over.js';
import type { TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

/** The requests for lists of orders. */
const LIST = /\/api\/orders(\?|$)/;

describeInBrowser('Orders, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let support: TestOperator;
  let completed: OrderBody;
  let failed: OrderBody;
  let doubtful: OrderBody;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([
      startScene({ SUPPLIER_QUIET_PERIOD_MS: '600000' }, { pagesFrom: BUILT }),
      launchBrowser(),
    ]);
    support = await scene.console.signedIn('support');
    const { stack, merchant, sku } = scene;
    completed = await stack.order(merchant, [{ sku, quantity: 2 }]);
    await stack.orderWith(merchant, completed.reference_id, 'completed');
    failed = await stack.order(merchant, [{ sku }], refusing());
    await stack.orderWith(merchant, failed.reference_id, 'failed');
    doubtful = await inDoubt(3);
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  const arrive = (language: 'en' | 'th' = 'en', as = support): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });

  /** A player whose top-ups the supplier refuses. */
  function refusing(): string {
    const user = unique('refused');
    scene.stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    return user;
  }

  /** An order with units in doubt, because the supplier never reports an outcome. */
  async function inDoubt(quantity: number): Promise<OrderBody> {
    const { stack, merchant, sku } = scene;
    const user = unique('doubtful');
    stack.supplier.script(user, ({ kind }) => (kind === 'send' ? 'drop' : { status: 503 }));
    const order = await stack.order(merchant, [{ sku, quantity }], user);
    await eventually(
      async () => {
        const path = `/api/orders/${order.order_number}`;
        return (await support.browser.get<{ units: { can_resolve: boolean }[] }>(path)).body.units;
      },
      (units) => units.every(({ can_resolve }) => can_resolve),
    );
    return order;
  }

  const row = (page: Page, { order_number }: OrderBody): ReturnType<Page['getByRole']> =>
    page.getByRole('link', { name: order_number });

  describe('every page', () => {
    it.each(['en', 'th'] as const)(
      'is whole in %s, in both schemes, on a wide screen and on a phone',
      async (language) => {
        const visitor = await arrive(language);
        const { page } = visitor;
        const pages: PageToSee[] = [
          ['home', '/', () => row(page, failed).waitFor()],
          ['orders', '/orders', () => row(page, completed).waitFor()],
          ['orders-filtered', '/orders?status=failed', () => row(page, failed).waitFor()],
          ['orders-empty', '/orders?sku=NO-SUCH', () => page.getByText(/NO-SUCH/).waitFor()],
          ['order', `/orders/${doubtful.order_number}`, () => page.locator('ol').first().waitFor()],
          ['order-failed', `/orders/${failed.order_number}?timeline=units`, () => page.locator('ol').first().waitFor()],
          ['order-missing', '/orders/ord_NoSuchOrder00000', () => page.getByRole('alert').waitFor()],
          ['review', '/review', () => page.locator('table').waitFor()],
          ['review-no-supplier', '/review?supplier=nobody', () => page.getByText('nobody').waitFor()],
          ['search', '/search', () => page.locator('h1').waitFor()],
          ['search-nothing', '/search?q=nothing-has-this', () => page.locator('h1').waitFor()],
          ['me', '/me', () => page.getByText('127.0.0.1').or(page.getByText(/^10\./)).first().waitFor()],
        ];
        await visitor.lookAt(pages);
        await visitor.leave(/Failed to load resource.*404/);
      },
    );
  });

  it('are found, opened and left by keyboard alone', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await row(page, failed).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await visitor.goBy('o', '/orders');
    await row(page, completed).waitFor();
    await page.keyboard.press('j');
    expect(await page.locator(':focus').textContent()).toBe(doubtful.order_number);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: failed.order_number }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(failed.order_number);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type(completed.reference_id);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: completed.order_number }).waitFor();
    await visitor.leave();
  });

  it('are found while an operator types, with product and player', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/orders');
    await row(page, completed).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(completed.reference_id);
    const hit = page.getByRole('search').getByRole('link', { name: completed.order_number });
    await hit.getByText(`${scene.sku} × 2`).waitFor();
    await hit.getByText(String(completed.user_id)).waitFor();
    await visitor.look('search-typing');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: completed.order_number }).waitFor();
    await hit.waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('open by a click while the field keeps the focus, because Safari focuses no links', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/orders');
    const field = page.getByRole('searchbox');
    await field.fill(completed.reference_id);
    await page.getByRole('search').getByRole('link', { name: completed.order_number }).hover();
    await page.mouse.down();
    await field.and(page.locator(':focus')).waitFor();
    await page.mouse.up();
    await page.getByRole('heading', { name: completed.order_number }).waitFor();
    // Single keys must work again.
    expect(await field.and(page.locator(':focus')).count()).toBe(0);
    await visitor.leave();
  });

  it('are found beside merchants, of which two may have the same name', async () => {
    const merchants = scene.console.app.get(MerchantsService);
    for (const name of ['Twin Game Shop', 'Twin Game Shop', 'Lone Game Shop']) await merchants.create(name);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/orders');
    const links = page.getByRole('search').getByRole('link');
    await page.getByRole('searchbox').fill('Twin Game Shop');
    await links.nth(1).waitFor();
    await page.getByRole('searchbox').fill('Lone Game Shop');
    await links.filter({ hasText: 'Lone Game Shop' }).waitFor();
    expect(await links.count()).toBe(1);
    await visitor.leave();
  });

  it('have metadata of the merchant, none of which passes for a fact of ours', async () => {
    const { merchant, sku } = scene;
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    const whole = { ...request, metadata: { Player: 'player-2' } };
    const { body } = await merchant.client.post<OrderBody>('/v1/orders', whole);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/orders/${body.order_number}`);
    await page.getByText('metadata.Player', { exact: true }).waitFor();
    expect(
      await page
        .locator('dt')
        .filter({ hasText: /^Player$/ })
        .count(),
    ).toBe(1);
    await visitor.leave();
  });

  it('have the frame of the console before the session is known', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const { promise: gate, resolve: release } = deferred<void>();
    await page.route('**/api/session', async (route) => {
      await gate;
      await route.continue();
    });
    await visitor.open('/orders');
    await page.locator('#frame').waitFor();
    await visitor.glance('frame');
    expect(await page.locator('[aria-busy]').count()).toBe(0);
    release();
    await row(page, completed).waitFor();
    await page.locator('#frame').waitFor({ state: 'detached' });
    await visitor.leave();
  });

  it('are filtered by the address, which matches the chips', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/orders');
    await page.getByRole('button', { name: 'Status' }).click();
    await page.getByRole('group', { name: 'Filter by Status' }).getByLabel('Completed').check();
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/orders?status=completed');
    await row(page, failed).waitFor({ state: 'detached' });
    await row(page, completed).waitFor();
    await page.getByRole('button', { name: 'Status Completed' }).click();
    await page.getByRole('group', { name: 'Filter by Status' }).getByLabel('Failed').check();
    await visitor.look('orders-filter');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL('**/orders?status=completed,failed');
    await row(page, failed).waitFor();
    // An address may also repeat a parameter.
    await visitor.open('/orders?status=failed&status=pending');
    await page.getByRole('button', { name: 'Status Failed, Pending' }).waitFor();
    await row(page, completed).waitFor({ state: 'detached' });
    await row(page, failed).waitFor();
    await page.getByRole('button', { name: 'Remove filter Status' }).click();
    await page.waitForURL('**/orders');
    await row(page, failed).waitFor();
    await visitor.leave();
  });

  it('appear while a page is open, without moving the rows that are there', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/orders');
    await row(page, completed).waitFor();
    const { stack, merchant, sku } = scene;
    const late = await stack.order(merchant, [{ sku }]);
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    expect(await row(page, late).count()).toBe(0);
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await row(page, late).waitFor();
    await visitor.leave();
  });

  it('show their history, accept notes, and are settled by an operator’s decision', async () => {
    const order = await inDoubt(1);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/review');
    const line = page.getByRole('row').filter({ hasText: order.order_number });
    await line.getByRole('button', { name: 'Resolve' }).click();
    const dialog = page.getByRole('dialog', { name: /Resolve unit 1\.1/ });
    await dialog.waitFor();
    await dialog.getByText(/gave no usable answer/).waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await dialog.getByText('It was not bought').click();
    await dialog.getByText('With it the order ends as failed.').waitFor();
    await dialog.getByLabel('Reason').fill('they never saw it <img src=x onerror=alert(1)>');
    const settle = dialog.getByRole('button', { name: 'Settle as failed' });
    // No reason is preset: a hurried operator would tell the buyer something false.
    expect([await dialog.getByLabel('Why it failed').inputValue(), await settle.isDisabled()]).toEqual(['', true]);
    await dialog.getByLabel('Why it failed').selectOption('The product is out of stock.');
    await dialog.getByText('OUT_OF_STOCK').waitFor();
    await visitor.look('resolve');
    await settle.click();
    await page.getByText('Unit 1.1 was resolved').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('they never saw it <img').waitFor();
    await page.getByLabel('Note').fill('Informed the buyer.\nTicket 4711');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByText('Informed the buyer.').waitFor();
    expect((await scene.stack.orderWith(scene.merchant, order.reference_id, 'failed')).failure_code).toBe(
      'OUT_OF_STOCK',
    );
    await visitor.leave();
  });

  it('keep the dialog of a decision after another operator settled the unit', async () => {
    const order = await inDoubt(1);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/orders/${order.order_number}?resolve=1.1`);
    const dialog = page.getByRole('dialog', { name: /Resolve unit 1\.1/ });
    await dialog.getByText('It was bought').click();
    await dialog.getByLabel('Reason').fill('their list has it');
    const path = `/api/orders/${order.order_number}/units/1.1/resolution`;
    await support.browser.post(path, { succeeded: true, reason: 'the player has it' });
    await page.getByText('the player has it').waitFor();
    await dialog.getByRole('button', { name: 'Settle as bought' }).click();
    await dialog.getByText(/unit 1\.1 is succeeded/).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('their list has it');
    await visitor.leave(/Failed to load resource.*(409|429)/);
  });

  it('suggest the reason that the supplier has just reported, until the operator chooses one', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    let report = { outcome: 'never_seen', failure_code: null as string | null };
    await page.route('**/inquire', (route) =>
      route.fulfill({
        json: { supplier: 'fake', reference: 'r', detail: null, asked_at: '2026-01-15T08:30:00.123Z', ...report },
      }),
    );
    await visitor.open(`/orders/${doubtful.order_number}?resolve=1.1`);
    const dialog = page.getByRole('dialog', { name: /Resolve unit 1\.1/ });
    await dialog.getByText('fake does not know this purchase').waitFor();
    await dialog.getByText('It was not bought').click();
    const field = dialog.getByLabel('Why it failed');
    expect(await field.inputValue()).toBe('SUPPLIER_UNAVAILABLE');
    await dialog.getByText('as the supplier just reported').waitFor();
    const askAgain = async (words: string): Promise<void> => {
      await dialog.getByRole('button', { name: 'Inquire again' }).click();
      await dialog.getByText(words).waitFor();
    };
    report = { outcome: 'failed', failure_code: 'OUT_OF_STOCK' };
    await askAgain('fake reports that it failed');
    expect(await field.inputValue()).toBe('OUT_OF_STOCK');
    await field.selectOption('PLAYER_NOT_ELIGIBLE');
    report = { outcome: 'processing', failure_code: null };
    await askAgain('fake is still at it');
    expect(await field.inputValue()).toBe('PLAYER_NOT_ELIGIBLE');
    await visitor.leave();
  });

  it('show the code of a unit to operators who give a reason', async () => {
    const { stack, merchant } = scene;
    const player = unique('buyer');
    const codeOf = sellsCodes(stack, player);
    const card = await stack.product('35.00', { kind: 'code' });
    const order = await stack.order(merchant, [{ sku: card }], player);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/orders/${order.order_number}`);
    await page.getByRole('button', { name: 'Reveal' }).click();
    const dialog = page.getByRole('dialog', { name: /Reveal unit 1\.1/ });
    await dialog.getByLabel('Reason').fill('the buyer lost it');
    await dialog.getByRole('button', { name: 'Reveal' }).click();
    await page.getByText(codeOf(`${order.order_number}.1.1`)).waitFor();
    await visitor.look('code-revealed');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Code revealed').waitFor();
    await visitor.leave();
  });

  it('show errors, and recover by themselves', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    let isDown = true;
    await page.route(LIST, (route) =>
      isDown
        ? route.fulfill({
            status: 503,
            headers: { 'x-request-id': 'req-1' },
            json: { status: 503, code: 'SERVICE_UNAVAILABLE', message: 'PostgreSQL does not respond' },
          })
        : route.continue(),
    );
    await visitor.open('/orders');
    await page.getByText('PostgreSQL does not respond').waitFor();
    await page.getByText('The service can’t be reached.').first().waitFor();
    await visitor.look('orders-broken');
    isDown = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await row(page, completed).waitFor();
    await page.getByText('What you see may be out of date').waitFor({ state: 'detached' });
    await visitor.leave(/Failed to load resource.*503/);
  });

  it('say that the session has ended, instead of a wrong password', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await page.route('**/notes', (route) =>
      route.fulfill({ status: 401, json: { status: 401, code: 'UNAUTHORIZED', message: 'Sign in first' } }),
    );
    await visitor.open(`/orders/${completed.order_number}`);
    await page.getByLabel('Note').fill('Informed the buyer.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('alert').getByText('Your session has ended. Sign in again.').waitFor();
    await visitor.leave(/Failed to load resource.*401/);
  });

  it('name the missing permission to operators who may not see them', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const message = 'This needs the permission orders.read, which these roles have: admin';
    await page.route(LIST, (route) =>
      route.fulfill({
        status: 403,
        json: {
          status: 403,
          code: 'FORBIDDEN',
          message,
          details: [{ field: 'orders.read', code: 'PERMISSION_REQUIRED', message }],
        },
      }),
    );
    await visitor.open('/orders');
    await page.getByText('The permission orders.read is missing.').waitFor();
    await visitor.look('orders-forbidden');
    await visitor.leave(/Failed to load resource.*403/);
  });

  it('hide from a viewer the actions of other roles', async () => {
    const visitor = await arrive('en', await scene.console.signedIn('viewer'));
    const { page } = visitor;
    await visitor.open(`/orders/${doubtful.order_number}`);
    await page.locator('ol').first().waitFor();
    expect(await page.getByRole('button', { name: /Resolve|Cancel order/ }).count()).toBe(0);
    expect(await page.getByLabel('Note').count()).toBe(0);
    await visitor.leave();
  });

  it('lead to signing in and back if the session ends', async () => {
    const operator = await scene.console.signedIn('support');
    const visitor = await arrive('en', operator);
    const { page } = visitor;
    await visitor.open('/orders?status=failed');
    await row(page, failed).waitFor();
    await operator.browser.send('DELETE', '/api/session');
    await page.waitForURL('**/login?next=%2Forders%3Fstatus%3Dfailed');
    await visitor.leave(/Failed to load resource.*401/);
  });
});
