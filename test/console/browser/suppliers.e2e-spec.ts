import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '../../support/eventually.js';
import { refused } from '../../support/fake-supplier.js';
import { unique } from '../../support/stack.js';
import { PASSWORD, type TestOperator } from '../console-stack.js';
import { contradict, refusedOrder, sellLate, startScene, type Scene } from '../scene.js';
import { addCatalogued } from '../supplier-scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

describeInBrowser('Home and suppliers, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
    await live();
    await past();
    await contradict(scene);
    await addCatalogued(scene, admin);
    await troubles();
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  /** A completed and a failed order. */
  async function live(): Promise<void> {
    const { stack, merchant, sku } = scene;
    const bought = await stack.order(merchant, [{ sku, quantity: 3 }]);
    const user = unique('refused');
    stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK', 'Sold out'));
    const failed = await stack.order(merchant, [{ sku }], user);
    await stack.orderWith(merchant, bought.reference_id, 'completed');
    await stack.orderWith(merchant, failed.reference_id, 'failed');
    await eventually(
      async () => (await admin.browser.get<{ data: { calls: { outcomes: unknown[] } }[] }>('/api/suppliers')).body.data,
      ([supplier]) => (supplier?.calls.outcomes.length ?? 0) > 1,
    );
  }

  /** A day of stats and balances, written straight to the tables. */
  async function past(): Promise<void> {
    await scene.console.sql(
      `INSERT INTO minute_figures (minute, figure, subject, label, up_to_ms, value)
       SELECT date_trunc('minute', now()) - n * interval '1 minute', figure, subject, label, up_to_ms,
              (base * (1 + 0.6 * sin(n / 9.0)))::bigint
       FROM generate_series(1, 1500) n CROSS JOIN (VALUES
         ('orders', '', 'placed', 0, 42), ('orders', '', 'completed', 0, 38), ('orders', '', 'failed', 0, 2),
         ('levels', '', 'orders_oldest_open_seconds', 0, 20), ('levels', '', 'units_unknown', 0, 3),
         ('levels', '', 'units_review', 0, 1), ('levels', '', 'webhooks_due', 0, 5),
         ('levels', '', 'wallets_below_alert', 0, 2),
         ('supplier_sends', 'fake', 'succeeded', 0, 60), ('supplier_sends', 'fake', 'failed', 0, 6),
         ('supplier_inquiries', 'fake', 'unknown', 0, 3), ('supplier_send_duration', 'fake', '', 250, 40),
         ('supplier_send_duration', 'fake', '', 1000, 20), ('supplier_send_duration', 'fake', '', 2500, 4)
       ) AS kept (figure, subject, label, up_to_ms, base)
       ON CONFLICT DO NOTHING`,
    );
    await scene.console.sql(
      `WITH told AS (UPDATE suppliers SET balance_micros = 4100000000, balance_currency = 'THB', balance_at = now()
                     WHERE code = 'fake' RETURNING id)
       INSERT INTO supplier_balances (supplier_id, told_at, currency, micros)
       SELECT id, now() - n * interval '5 minutes', 'THB', (4100 + n * 20) * 1000000::bigint
       FROM told CROSS JOIN generate_series(0, 40) n`,
    );
  }

  /** A webhook that has failed for hours, and an audit with a violation. */
  async function troubles(): Promise<void> {
    const { stack, merchant, sku, console } = scene;
    const hook = { url: 'http://127.0.0.1:9/nobody-listens', max_retries: 0 };
    await merchant.client.post('/v1/merchant-webhooks', hook);
    const order = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await eventually(
      () => console.sql(`SELECT FROM webhook_deliveries WHERE status = 'failed'`),
      (failed) => failed.length > 0,
    );
    await console.sql(`UPDATE webhook_deliveries SET created_at = created_at - interval '3 hours'`);
    await console.sql(
      `INSERT INTO console_jobs (kind, params, state, operator_id, ok, result, ended_at)
       VALUES ('audit', '{}', 'succeeded', $1, false, '{"checks": []}', now())`,
      [admin.id],
    );
  }

  const arrive = (language: 'en' | 'th' = 'en', as = admin): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a wide screen and on a phone',
    async (language) => {
      const visitor = await arrive(language);
      const { page } = visitor;
      const charts = (): Promise<void> => page.getByRole('slider').nth(2).waitFor();
      const pages: PageToSee[] = [
        ['home', '/', () => page.getByRole('link', { name: /^fake/ }).first().waitFor()],
        ['suppliers', '/suppliers', () => page.getByRole('link', { name: 'fake' }).waitFor()],
        ['supplier', '/suppliers/fake', charts],
        ['supplier-day', '/suppliers/fake?range=day', charts],
        [
          'supplier-catalogue',
          '/suppliers/digi?tab=catalogue',
          () => page.getByRole('cell', { name: 'ML-86', exact: true }).waitFor(),
        ],
        ['supplier-offers', '/suppliers/fake?tab=offers', () => page.locator('table').waitFor()],
        ['supplier-offers-empty', '/suppliers/digi?tab=offers', () => page.getByText(/SKU/).first().waitFor()],
        ['supplier-log', '/suppliers/digi?tab=log', () => page.locator('table').waitFor()],
        ['reversals', '/reversals', () => page.locator('table').waitFor()],
        ['reversals-empty', '/reversals?supplier=nobody', () => page.getByRole('heading', { level: 1 }).waitFor()],
        ['supplier-missing', '/suppliers/nobody', () => page.getByRole('alert').waitFor()],
      ];
      await visitor.lookAt(pages);
      await visitor.leave(/Failed to load resource.*404/);
    },
  );

  it('lead from a number to its list, and by keys to the suppliers', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page
      .getByRole('link', { name: /^Failed/ })
      .first()
      .click();
    await page.waitForURL('**/orders?status=failed');
    await page.getByRole('heading', { name: 'Orders' }).waitFor();
    await visitor.goBy('s', '/suppliers');
    await page.getByRole('heading', { name: 'Suppliers' }).waitFor();
    await page.getByRole('link', { name: 'fake' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'digi' }).waitFor();
    await visitor.leave();
  });

  it('lead from a task under "To do" to its page, and show only tasks of the role', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    const needs = page.locator('section', { has: page.getByRole('heading', { name: 'To do' }) });
    await needs.getByRole('link', { name: 'The last audit found something wrong' }).waitFor();
    await needs.getByRole('link', { name: '1 discrepancy of a supplier is open' }).waitFor();
    await needs.getByRole('link', { name: '1 webhook has failed for an hour or more' }).click();
    await page.waitForURL('**/webhooks?status=failing');
    await page.getByRole('link', { name: /nobody-listens/ }).waitFor();
    await visitor.leave();
    const support = await arrive('en', await scene.console.signedIn('support'));
    await support.open('/');
    await support.page.getByRole('link', { name: '1 webhook has failed for an hour or more' }).waitFor();
    expect(await support.page.getByText('The last audit').count()).toBe(0);
    await support.leave();
  });

  it('have charts that are read point by point with the arrow keys, and shown as tables', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/suppliers/fake');
    const chart = page.getByRole('slider', { name: 'Calls by outcome' });
    // Otherwise the next minute would move the points.
    await page.getByRole('button', { name: 'Pause updates' }).click();
    await page.getByRole('button', { name: /^Updates paused/ }).waitFor();
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    const text = (await chart.getAttribute('aria-valuetext')) ?? '';
    expect(text).toMatch(/^\d\d:\d\d, Succeeded \d+, Failed \d+, In doubt \d+$/);
    await visitor.picture('supplier-chart-point');
    await page.getByRole('button', { name: 'As a table: Calls by outcome' }).click();
    const table = page.getByRole('region', { name: 'Calls by outcome' });
    expect(await table.getByRole('row').nth(2).innerText()).toContain(text.slice(0, 5));
    await visitor.look('supplier-table');
    await visitor.leave();
  });

  it('are paused with a reason and resumed after a question, and tested with results in words', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/suppliers/fake');
    await page.getByRole('button', { name: 'Pause fake' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause fake' });
    await dialog.getByText(/Nothing more is sent to fake/).waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await dialog.getByLabel('Reason').fill('maintenance until 14:00');
    await visitor.look('supplier-pause');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('An operator paused it.').waitFor();
    await page.getByText('maintenance until 14:00').waitFor();
    await visitor.look('supplier-paused');
    await page.getByRole('button', { name: 'Resume fake' }).click();
    const resumption = page.getByRole('dialog', { name: 'Resume fake' });
    await resumption.getByText(/Workers buy at fake again/).waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    expect(await page.getByText('An operator paused it.').count()).toBe(1);
    await resumption.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByText('An operator paused it.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('It can be used.').waitFor();
    await visitor.look('supplier-test');
    await visitor.leave();
  });

  it('are set with the difference shown; credentials stay, and are never shown', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/suppliers/digi');
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings of digi' });
    const save = dialog.getByRole('button', { name: 'Save' });
    await dialog.getByLabel('Low below').waitFor();
    expect(await save.isDisabled()).toBe(true);
    const calls = dialog.getByLabel('Calls at once');
    await calls.fill('1,000');
    await dialog.getByText('A whole number, such as 10').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await calls.fill('');
    const key = dialog.getByLabel('key', { exact: true });
    expect([await key.inputValue(), await key.getAttribute('placeholder')]).toEqual(['', 'Kept unless replaced']);
    await dialog.getByLabel('Low below').fill('750,000');
    await key.fill('prod-0815');
    await dialog.getByText('Low below: 500000 → 750,000').waitFor();
    await dialog.getByText('key: replaced').waitFor();
    await visitor.look('supplier-settings');
    await scene.console.sql(`UPDATE operator_sessions SET confirmed_at = now() - interval '1 hour'`);
    await save.click();
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await again.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('digi was saved.').waitFor();
    await page.getByText('750,000.00').waitFor();
    await visitor.leave(/Failed to load resource.*403/);
  });

  it('are added with the fields of their adapter, and removed by typing their name', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/suppliers');
    await page.getByRole('button', { name: 'Add supplier' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add supplier' });
    await dialog.getByLabel('Supplier', { exact: false }).first().fill('acme');
    await dialog.getByLabel('Address').fill('https://api.acme.example/v1');
    await visitor.look('supplier-add');
    await dialog.getByRole('button', { name: 'Add supplier' }).click();
    await page.getByRole('heading', { name: 'acme' }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove acme' });
    await removal.getByLabel('Reason').fill('never used');
    await removal.getByLabel('Type acme to confirm').fill('acme');
    await removal.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Suppliers' }).waitFor();
    await page.getByRole('link', { name: 'acme' }).waitFor({ state: 'detached' });
    await visitor.leave(/Failed to load resource.*404/);
  });

  it('have a catalogue that is applied after its preview, and a shrunken one down to the number that was shown', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const read = { seen: 4, added: 1, removed: 0, price_changed: 0, availability_changed: 0, refusal: null };
    const refusal = (kind: string, detail: string, isOurs = true, now: number | null = null): object => ({
      ...read,
      refusal: { kind, detail, can_be_forced: isOurs, now },
    });
    const tooSoon = ['too_soon', '2026-11-22T07:05:00.000Z'] as const;
    const answers = [refusal(...tooSoon), read, refusal(...tooSoon, false), refusal('shrunk', '4 → 1', true, 1), read];
    const sent: unknown[] = [];
    await page.route('**/api/suppliers/digi/sync', async (route) => {
      sent.push(route.request().postDataJSON());
      await route.fulfill({ json: answers[sent.length - 1] });
    });
    await visitor.open('/suppliers/digi?tab=catalogue');
    await page.getByRole('button', { name: 'Update catalogue' }).click();
    const dialog = page.getByRole('dialog', { name: 'Update the catalogue of digi' });
    const apply = dialog.getByRole('button', { name: 'Apply', exact: true });
    await dialog.getByText('The next reading is allowed at 22 Nov 2026, 14:05:00.').waitFor();
    expect(await apply.isDisabled()).toBe(true);
    await visitor.look('supplier-sync-soon');
    await dialog.getByRole('button', { name: 'Read it now' }).click();
    await dialog.getByText('This would change').waitFor();
    await apply.click();
    await dialog.getByText('the supplier allows the next one at 22 Nov 2026, 14:05:00').waitFor();
    await apply.click();
    await dialog.getByText('(4 → 1)').waitFor();
    await dialog.getByRole('button', { name: 'Apply all the same' }).click();
    await page.getByText('digi lists 4 products').waitFor();
    expect(sent).toEqual([
      { dry_run: true },
      { dry_run: true, accept: ['too_soon'] },
      { dry_run: false, accept: ['too_soon'] },
      { dry_run: false, accept: ['too_soon'] },
      { dry_run: false, accept: ['too_soon'], at_least: 1 },
    ]);
    await visitor.leave();
  });

  it('get a product mapped to their SKU', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/suppliers/digi?tab=catalogue&unmapped=true');
    await page.getByRole('button', { name: 'Use for a product: ML-257' }).click();
    const dialog = page.getByRole('dialog', { name: 'Use ML-257 for a product' });
    await dialog.getByLabel('Our product').first().fill(scene.sku);
    await dialog.getByRole('radio', { name: scene.sku }).check();
    await visitor.look('supplier-map');
    await dialog.getByRole('button', { name: 'Use for a product', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Use for a product: ML-257' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Offers' }).click();
    await page.getByRole('link', { name: scene.sku }).waitFor();
    await visitor.leave();
  });

  it('fill in the cost of an offer from their catalogue', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/products/${scene.sku}`);
    await page.getByRole('button', { name: 'Add offer' }).click();
    const form = page.getByRole('dialog', { name: `Add an offer of ${scene.sku}` });
    await form.getByRole('combobox', { name: 'Supplier', exact: true }).selectOption('digi');
    await form.getByRole('radio', { name: /ML-257/ }).waitFor();
    await form.getByRole('textbox', { name: 'Supplier’s SKU' }).fill('ML-86');
    await form.getByRole('radio', { name: /ML-257/ }).waitFor({ state: 'detached' });
    await form.getByRole('radio', { name: /ML-86/ }).check();
    expect(await form.getByRole('textbox', { name: 'Supplier’s SKU' }).inputValue()).toBe('ML-86');
    expect([
      await form.getByRole('textbox', { name: 'Cost', exact: true }).inputValue(),
      await form.getByLabel('Currency of the cost').inputValue(),
    ]).toEqual(['20000', 'IDR']);
    await visitor.look('offer-form-catalogue');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await visitor.leave();
  });

  it('close a reversal with a credit', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('link', { name: '1 discrepancy of a supplier is open' }).click();
    await page.waitForURL('**/reversals?open=true');
    await page.getByRole('button', { name: 'Close discrepancy' }).click();
    const dialog = page.getByRole('dialog', { name: /Close the discrepancy of/ });
    await dialog.getByLabel('Credit to the merchant, THB').fill('35.00');
    await dialog.getByText(/35\.00 THB go to the wallet/).waitFor();
    await dialog.getByLabel('Reason').fill('ticket 4711');
    await visitor.look('reversal-close');
    await dialog.getByRole('button', { name: 'Close discrepancy' }).click();
    await page.getByText('Nothing matches').waitFor();
    await visitor.leave();
  });

  it('keep the dialog of a discrepancy after another operator closed it', async () => {
    const id = await contradict(scene);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/reversals?open=true');
    await page.getByRole('button', { name: 'Close discrepancy' }).click();
    const dialog = page.getByRole('dialog', { name: /Close the discrepancy of/ });
    await dialog.getByLabel('Reason').fill('ticket 4712');
    await admin.browser.post(`/api/reversals/${id}/closing`, { reason: 'they paid it back' });
    await page.getByText('Nothing matches').waitFor();
    await dialog.getByRole('button', { name: 'Close discrepancy' }).click();
    await dialog.getByText(`reversal ${id} is closed already`).waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('ticket 4712');
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('show the code of a discrepancy to operators who give a reason', async () => {
    await sellLate(scene, await refusedOrder(scene), 'LATE-8F3K');
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/reversals?open=true');
    await page.getByRole('button', { name: 'Reveal' }).click();
    const dialog = page.getByRole('dialog', { name: /Reveal unit 1\.1/ });
    await dialog.getByLabel('Reason').fill('to sell it');
    await dialog.getByRole('button', { name: 'Reveal' }).click();
    await page.getByText('LATE-8F3K').waitFor();
    await visitor.look('reversal-code');
    await visitor.leave();
  });

  it('show errors, and name a missing permission', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const message = 'This needs the permission suppliers.read, which these roles have: admin';
    await page.route(/\/api\/suppliers$/, (route) =>
      route.fulfill({
        status: 403,
        json: {
          status: 403,
          code: 'FORBIDDEN',
          message,
          details: [{ field: 'suppliers.read', code: 'PERMISSION_REQUIRED', message }],
        },
      }),
    );
    await visitor.open('/suppliers');
    await page.getByText('The permission suppliers.read is missing.').waitFor();
    await page.unroute(/\/api\/suppliers$/);
    await page.route(/\/api\/figures\/now$/, (route) =>
      route.fulfill({ status: 400, json: { status: 400, code: 'BAD_REQUEST', message: 'No figures today' } }),
    );
    await visitor.open('/');
    await page.getByText('No figures today').first().waitFor();
    await page.getByRole('link', { name: /^fake/ }).first().waitFor();
    await visitor.leave(/Failed to load resource.*(400|403)/);
  });

  it('hide from a viewer the actions of other roles', async () => {
    const visitor = await arrive('en', await scene.console.signedIn('viewer'));
    const { page } = visitor;
    await visitor.open('/suppliers/fake');
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    expect(await page.getByRole('button', { name: /^Test$|Pause fake|Settings|Remove/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Log' }).count()).toBe(0);
    await visitor.leave();
  });
});
