import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { FxRatesService } from '../../../src/catalog/fx-rates.service.js';
import { OffersService } from '../../../src/catalog/offers.service.js';
import { PricesService } from '../../../src/catalog/prices.service.js';
import { ProductsService } from '../../../src/catalog/products.service.js';
import type { TestOperator } from '../console-stack.js';
import { startScene, type Scene } from '../scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

describeInBrowser('Products, in a browser', () => {
  let scene: Scene;
  let browser: Browser;
  let admin: TestOperator;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startScene({}, { pagesFrom: BUILT }), launchBrowser()]);
    admin = await scene.console.signedIn('admin');
    await fillCatalogue();
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  /** Products: with costs in two currencies, off sale, without a routable offer, and with a sale. */
  async function fillCatalogue(): Promise<void> {
    const { app } = scene.console;
    const { stack, merchant } = scene;
    const products: [sku: string, name: string, price: string, active?: boolean][] = [
      ['FF-100', 'Free Fire 100 diamonds', '28.00'],
      ['MLBB-86', 'Mobile Legends 86 diamonds', '35.00'],
      ['MLBB-172', 'Mobile Legends 172 diamonds', '69.00'],
      ['PUBG-60', 'PUBG Mobile 60 UC', '29.50', false],
      ['ROV-40', 'Arena of Valor 40 vouchers, with a name that is longer than a line', '19.00'],
    ];
    for (const [sku, name, price, active = true] of products) await stack.product(price, { sku, name, active });
    await app.get(FxRatesService).set('IDR', '0.0021');
    const offers = app.get(OffersService);
    const own = { supplier: 'fake' };
    await offers.set({
      ...own,
      sku: 'MLBB-86',
      supplierSku: 'MLBB-86',
      costMicros: 31_200_000n,
      currency: 'THB',
    });
    await offers.set({
      ...own,
      sku: 'MLBB-86',
      supplierSku: 'ML86-ID',
      costMicros: 15_300n * 1_000_000n,
      currency: 'IDR',
      priority: 2,
    });
    await offers.set({
      ...own,
      sku: 'ROV-40',
      supplierSku: 'ROV-40',
      costMicros: 21_000_000n,
      currency: 'THB',
    });
    await offers.set({
      ...own,
      sku: 'MLBB-172',
      supplierSku: 'MLBB-172',
      costMicros: 30_000n * 1_000_000n,
      currency: 'IDR',
    });
    await app.get(PricesService).set(merchant.id, 'MLBB-86', 3400n);
    const order = await stack.order(merchant, [{ sku: 'MLBB-86', quantity: 3 }]);
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await app
      .get(ProductsService)
      .set({ sku: 'MLBB-86', price: 3500n, maxQuantity: 20 }, { operator: 'Nok', reason: 'ticket 4711' });
  }

  const arrive = (language: 'en' | 'th' = 'en', as = admin): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });
  const row = (page: Page, sku: string): ReturnType<Page['getByRole']> =>
    page.getByRole('link', { name: new RegExp(`${sku}$`) });

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a wide screen and on a phone',
    async (language) => {
      const visitor = await arrive(language);
      const { page } = visitor;
      const pages: PageToSee[] = [
        ['products', '/products', () => row(page, 'MLBB-86').waitFor()],
        ['products-empty', '/products?q=NO-SUCH', () => page.getByText('NO-SUCH').waitFor()],
        ['product', '/products/MLBB-86', () => page.getByRole('slider', { name: '30' }).waitFor()],
        ['product-missing', '/products/NO-SUCH', () => page.getByRole('alert').waitFor()],
        ['product-edit', '/products/MLBB-172?edit=definition', () => page.getByRole('dialog').waitFor()],
        ['import', '/products/import', () => page.locator('h1').waitFor()],
        ['prices', '/products/prices?percent=-12&round=0.25', () => page.getByText('ROV-40').waitFor()],
        ['fx', '/fx', () => page.getByText('IDR', { exact: true }).waitFor()],
      ];
      await visitor.lookAt(pages);
      await visitor.leave(/Failed to load resource.*404/);
    },
  );

  it('are found and opened by keyboard, edited with the difference shown, and taken off sale', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await visitor.goBy('p', '/products');
    await row(page, 'FF-100').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Free Fire 100 diamonds' }).waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).first().click();
    const form = page.getByRole('dialog', { name: 'Edit FF-100' });
    await form.getByText('Nothing changes yet.').waitFor();
    await form.getByLabel('Price').fill('27.50');
    await form.getByText('27.50').waitFor();
    await visitor.picture('product-difference');
    await scene.console.app.get(ProductsService).set({ sku: 'FF-100', maxQuantity: 9 });
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('the product changed meanwhile').waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Take off sale' }).click();
    const dialog = page.getByRole('dialog', { name: 'Take FF-100 off sale' });
    await dialog.getByText(/Orders of FF-100 are refused from now on/).waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await dialog.getByLabel('Reason').fill('season is over');
    await dialog.getByRole('button', { name: 'Take off sale' }).click();
    // It is shown for six seconds only.
    const done = page.getByRole('status').filter({ hasText: 'FF-100 is off sale' });
    await done.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('FF-100 is on sale').waitFor();
    await page.getByText('season is over').waitFor();
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('are put on sale only after a question', async () => {
    await scene.stack.product('10.00', { sku: 'OFF-1', name: 'Off sale', active: false });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/products/OFF-1');
    await page.getByRole('button', { name: 'Put on sale' }).click();
    const dialog = page.getByRole('dialog', { name: 'Put OFF-1 on sale' });
    await dialog.getByText('Merchants can order OFF-1 from now on.').waitFor();
    expect((await admin.browser.get<{ active: boolean }>('/api/products/OFF-1')).body.active).toBe(false);
    await dialog.getByRole('button', { name: 'Put on sale' }).click();
    await page.getByText('OFF-1 is on sale').waitFor();
    await visitor.leave();
  });

  it('are changed by a file of 500 prices, after a preview of all prices, and typing their number', async () => {
    const skus = Array.from({ length: 500 }, (_, index) => `BULK-${String(index).padStart(3, '0')}`);
    const bulk = skus.map((sku) => ({ sku, name: sku, price: 1000n, supplier: 'fake' }));
    await scene.console.app.get(ProductsService).setAll(bulk);
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/products/import');
    const wrong = page.getByLabel('Text of the file');
    await wrong.fill('sku,price\nBULK-000,abc\n');
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('price must be an amount in baht such as 35.00').waitFor();
    await visitor.look('import-wrong');
    await page.getByRole('button', { name: 'Another file' }).click();
    const lines = skus.map((sku, index) => `${sku},${index === 7 ? '13.00' : '10.50'}`);
    const file = {
      name: 'prices.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`sku,price\n${lines.join('\n')}`),
    };
    await page.getByLabel('CSV file').setInputFiles(file);
    await page.getByText('500 changed').waitFor();
    await page.getByText('1 moves by more than 20%').waitFor();
    expect(await page.locator('tbody tr').first().textContent()).toContain('BULK-007');
    await visitor.look('import-preview');
    await page.getByRole('button', { name: 'Import 500 changes' }).click();
    const dialog = page.getByRole('dialog', { name: 'prices.csv' });
    const verb = dialog.getByRole('button', { name: 'Import 500 changes' });
    expect(await verb.isDisabled()).toBe(true);
    await dialog.getByLabel('Type 500 to confirm').fill('500');
    await visitor.picture('import-confirm');
    await verb.click();
    await page.getByText('0 added, 500 changed').waitFor();
    const { body } = await admin.browser.get<{ price: string }>('/api/products/BULK-007');
    expect(body.price).toBe('13.00');
    await visitor.leave();
  });

  it('change their prices by a percentage, with prices below cost in red', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/products?q=MLBB');
    await page.getByRole('link', { name: 'Change prices' }).click();
    await page.getByLabel('Change in percent').fill('-12');
    await page.getByText('2 prices change').waitFor();
    await page.getByLabel('Round to').selectOption('0.50');
    await page.waitForURL(/round=0\.50/);
    await page.getByText('31.00', { exact: true }).waitFor();
    await page.getByText('2 sell below cost').first().waitFor();
    await page.getByRole('button', { name: 'Change 2 prices' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/2 list prices change by -12%/).waitFor();
    await dialog.getByLabel('Reason').fill('sale of the month');
    await visitor.picture('prices-confirm');
    await dialog.getByRole('button', { name: 'Change 2 prices' }).click();
    await page.getByText('2 prices were changed').waitFor();
    await page.getByRole('cell', { name: '31.00' }).first().waitFor();
    await visitor.leave();
  });

  it('change only as the dialog showed, also after the preview behind it was read again', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/products/prices?q=ROV-40&percent=10');
    await page.getByText('20.90', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Change 1 price' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('a new season');
    await scene.console.app.get(ProductsService).set({ sku: 'ROV-40', price: 2000n });
    const change = dialog.getByRole('button', { name: 'Change 1 price' });
    await change.click();
    await dialog.getByText('the prices changed meanwhile').waitFor();
    // The preview behind the dialog.
    await page.getByText('22.00', { exact: true }).waitFor();
    const answered = page.waitForResponse('**/api/products/adjustment');
    await change.click();
    expect((await answered).status()).toBe(409);
    const { body } = await admin.browser.get<{ price: string }>('/api/products/ROV-40');
    expect(body.price).toBe('20.00');
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('are bought with another offer once one is switched off, and with a changed exchange rate', async () => {
    const sku = await scene.stack.product('50.00', { sku: 'OFFERED' });
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/products/${sku}`);
    await page.getByRole('button', { name: 'Add offer' }).click();
    const form = page.getByRole('dialog', { name: `Add an offer of ${sku}` });
    await form.getByRole('combobox', { name: 'Supplier', exact: true }).selectOption('fake');
    await form.getByRole('textbox', { name: 'Supplier’s SKU' }).fill('OTHER');
    await form.getByLabel('Priority').fill('2');
    await form.getByRole('textbox', { name: 'Cost', exact: true }).fill('20000');
    await form.getByLabel('Currency of the cost').fill('IDR');
    await visitor.picture('offer-form');
    await form.getByRole('button', { name: 'Add offer' }).click();
    await page.getByText('Cost: 20,000.00').waitFor();
    await page.getByText('Highest price rise accepted: 5%').first().waitFor();
    await page.getByRole('button', { name: 'Switch off fake OFFERED' }).click();
    const off = page.getByRole('dialog', { name: 'Switch fake OFFERED off' });
    await off.getByText('Orders still find 1 other offer.').waitFor();
    await off.getByLabel('Reason').fill('too dear');
    await off.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText('it is off: too dear').waitFor();
    await page.getByRole('button', { name: 'Switch off fake OTHER' }).click();
    const last = page.getByRole('dialog', { name: 'Switch fake OTHER off' });
    await last.getByText(`No other offer can take orders`).waitFor();
    await visitor.look('offer-off');
    await last.getByRole('button', { name: 'Cancel' }).click();
    await visitor.open('/fx');
    await page.getByRole('button', { name: 'Set rate IDR' }).click();
    const rate = page.getByRole('dialog', { name: 'Set the rate of IDR' });
    await rate.getByLabel('THB for one unit').fill('0.0026');
    await rate.getByText(/2 products would sell below cost|1 product would sell below cost/).waitFor();
    await rate.getByLabel('Reason').fill('the bank');
    await visitor.look('fx-set');
    await rate.getByRole('button', { name: 'Set rate' }).click();
    await page.getByText('The rate of IDR is set').waitFor();
    await page.getByText('0.0026').waitFor();
    await visitor.leave();
  });

  describe('to an operator with another role', () => {
    it('show no costs and no forbidden actions, and show errors', async () => {
      const viewer = await scene.console.signedIn('viewer');
      const visitor = await arrive('en', viewer);
      const { page } = visitor;
      await visitor.open('/products?q=MLBB');
      await row(page, 'MLBB-86').waitFor();
      expect(await page.getByRole('button', { name: 'Add product' }).count()).toBe(0);
      expect(await page.getByRole('columnheader', { name: 'Margin' }).count()).toBe(0);
      await page.route('**/api/products/MLBB-172', (route) => route.fulfill({ status: 500, json: {} }));
      await visitor.open('/products/MLBB-172');
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await visitor.look('product-failed');
      await visitor.open('/products/prices?percent=5');
      await page.getByText(/products\.import/).waitFor();
      await visitor.look('prices-forbidden');
      await visitor.leave(/Failed to load resource.*(403|500)/);
    });
  });
});
