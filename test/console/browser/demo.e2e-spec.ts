import { afterAll, beforeAll, it } from '@jest/globals';
import { dayIn } from '../../support/days.js';
import { describeInBrowser, type PageToSee, type Visitor } from './chromium-browser.js';
import { startDemo, type DemoScene } from './demo-scene.js';

describeInBrowser('The demo of a local stack, in a browser', () => {
  let demo: DemoScene;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo.close());

  async function pagesOf({ page }: Visitor): Promise<PageToSee[]> {
    const { orderOf, merchant, webhook } = demo;
    const table = (): Promise<void> => page.locator('main table').first().waitFor();
    const timeline = (): Promise<void> => page.locator('ol').first().waitFor();
    const chart = (): Promise<void> => page.locator('figure, [role="slider"]').first().waitFor();
    return [
      [
        'demo-home',
        '/',
        () =>
          page
            .getByRole('link', { name: /^lotus-topup/ })
            .first()
            .waitFor(),
      ],
      ['demo-orders', '/orders', table],
      ['demo-order', await orderOf(`u.state = 'succeeded' AND u.attempt = 2`), timeline],
      ['demo-order-review', await orderOf(`u.state = 'review'`), timeline],
      ['demo-order-failed', `${await orderOf(`u.state = 'failed'`)}?timeline=units`, timeline],
      ['demo-review', '/review', table],
      ['demo-merchants', '/merchants', table],
      ['demo-merchant', merchant, chart],
      ['demo-merchant-orders', `${merchant}/orders`, table],
      ['demo-merchant-statement', `${merchant}/statement`, table],
      ['demo-merchant-keys', `${merchant}/keys`, table],
      ['demo-merchant-prices', `${merchant}/prices`, table],
      ['demo-merchant-webhooks', `${merchant}/webhooks`, table],
      ['demo-products', '/products', table],
      ['demo-product', '/products/MLBB-86', () => page.getByRole('slider', { name: '30' }).waitFor()],
      ['demo-suppliers', '/suppliers', table],
      ['demo-supplier', '/suppliers/lotus-topup?range=day', chart],
      ['demo-webhooks', '/webhooks', table],
      ['demo-webhook', webhook, table],
      ['demo-deliveries', '/deliveries', table],
    ];
  }

  it.each(['en', 'th'] as const)('shows a busy shop on every page, in %s', async (language) => {
    const visitor = await demo.arrive(language);
    await visitor.lookAt(await pagesOf(visitor));
    await visitor.leave();
  });

  it('has reports with earnings, and books without violations', async () => {
    const visitor = await demo.arrive();
    const { page } = visitor;
    const dayBefore = (days: number): string => dayIn('Asia/Bangkok', Date.now() - days * 86_400_000);
    const reports = [
      ['demo-report-daily', `/reports/daily?date=${dayBefore(1)}`, 'Daily report'],
      ['demo-report-margin', `/reports/margin?from=${dayBefore(13)}&to=${dayBefore(0)}&by=sku`, 'Margin report'],
      ['demo-audit', '/audit', 'Checks'],
    ] as const;
    for (const [name, address, table] of reports) {
      await visitor.open(address);
      // Reports run when they are opened.
      if (address === '/audit') await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.getByRole('table', { name: table }).waitFor();
      await visitor.look(name);
    }
    // The summary follows the table: it shows a time only if the latest audit found no violation.
    await page.locator('dt', { hasText: 'In order since' }).locator('xpath=following-sibling::dd//time').waitFor();
    await visitor.leave();
  });
});
