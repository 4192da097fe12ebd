import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { DepositsService } from '../../../src/deposits/deposits.service.js';
import { addChannel, arrive } from '../deposits/deposits-desk.js';
import { describeInBrowser } from './chromium-browser.js';
import { startDemo, type DemoScene } from './demo-scene.js';

const routes = fileURLToPath(new URL('../../../console/src/routes', import.meta.url));
const WIDTHS = [1440, 1280];

/** The paths of all pages behind the sign-in, such as `/orders/$number`. */
const paths = readdirSync(routes).flatMap((file) =>
  [...readFileSync(`${routes}/${file}`, 'utf8').matchAll(/getParentRoute: \(\) => (\w+),\s+path: '([^']+)'/g)]
    .filter(([, parent]) => parent !== 'root')
    .map(([, parent, path]) => (parent === 'merchant' ? `/merchants/$id${path === '/' ? '' : path}` : `${path}`)),
);

/** Adds a deposit, and a payment that waits. */
async function addPayments({ stack, admin, merchant }: DemoScene): Promise<{ channel: string; deposit: string }> {
  const channel = await addChannel(admin);
  const request = { referenceId: 'deposit-1001', amount: 100_000n, channel, expiresIn: 900 };
  const merchantId = Number(merchant.split('/').at(-1));
  const { row } = await stack.app.get(DepositsService).create({ merchantId, ...request }, { operator: 'test' });
  const { deposit_number: deposit, amount_to_pay: dealt } = row.deposit;
  await arrive(admin, channel, { amount: dealt - 100n, text: 'Transfer from X1234 SOMCHAI' });
  return { channel, deposit };
}

/** Lists what scrolls sideways, the page and parts of it, and names of rows that are cut. */
const MEASURE = `(() => {
  const isWide = (each) => each.scrollWidth > each.clientWidth + 1;
  const name = (each) => each.tagName + '.' + each.className + ' ' + each.textContent.slice(0, 60);
  const overflow = (each) => getComputedStyle(each).overflowX;
  const found = (selector, condition) =>
    [...document.querySelectorAll(selector)].filter((each) => isWide(each) && condition(each)).map(name);
  return [
    ...(document.documentElement.scrollWidth > window.innerWidth ? ['the page: ' + document.documentElement.scrollWidth] : []),
    ...found('main *', (each) => ['auto', 'scroll'].includes(overflow(each))),
    ...found('[data-row-link], [data-row-link] *', (each) => overflow(each) === 'hidden'),
  ];
})()`;

describeInBrowser('Every page of the console on a wide screen, in a browser', () => {
  let demo: DemoScene;
  let ofDeposits: { channel: string; deposit: string };
  beforeAll(async () => {
    demo = await startDemo();
    ofDeposits = await addPayments(demo);
  });
  afterAll(() => demo.close());

  async function addressesOf(): Promise<string[]> {
    const { orderOf, merchant, webhook, admin } = demo;
    return [
      '/',
      '/orders',
      await orderOf(`u.state = 'succeeded' AND u.attempt = 2`),
      '/review',
      '/approvals',
      '/deposits',
      `/deposits/${ofDeposits.deposit}`,
      '/payments',
      '/channels',
      `/channels/${ofDeposits.channel}`,
      '/merchants',
      merchant,
      ...['orders', 'deposits', 'statement', 'keys', 'prices', 'webhooks', 'log'].map((tab) => `${merchant}/${tab}`),
      '/products',
      '/products/import',
      '/products/prices?percent=5',
      '/products/MLBB-86',
      '/fx',
      '/suppliers',
      '/suppliers/lotus-topup',
      '/suppliers/lotus-topup?tab=offers',
      '/reversals',
      '/webhooks',
      webhook,
      '/deliveries',
      '/reports/daily',
      '/reports/supplier',
      '/reports/margin',
      '/audit',
      '/search?q=MLBB',
      '/log',
      '/operators',
      `/operators/${admin.id}`,
      '/me',
    ];
  }

  /** Pages have a heading, and no skeletons after the first answers. */
  const isWhole = async (page: Page): Promise<void> => {
    await page.locator('main h1').first().waitFor();
    await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' });
  };

  it('is measured', async () => {
    const patterns = paths.map((path) => new RegExp(`^${path.replaceAll(/\$\w+/g, '[^/]+')}$`));
    const addresses = (await addressesOf()).map((address) => address.replace(/\?.*/, ''));
    expect(paths.length).toBeGreaterThan(25);
    expect(patterns.filter((pattern) => !addresses.some((address) => pattern.test(address)))).toEqual([]);
  });

  it.each(['en', 'th'] as const)('scrolls nothing sideways, and cuts no name, in %s', async (language) => {
    const visitor = await demo.arrive(language);
    const { page } = visitor;
    const found: [string, number, unknown][] = [];
    for (const address of await addressesOf()) {
      await visitor.open(address);
      await isWhole(page);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        for (const wide of await page.evaluate<string[]>(MEASURE)) found.push([address, width, wide]);
      }
    }
    expect(found).toEqual([]);
    await visitor.leave();
  });
});
