import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { paletteCss } from '../../src/api-docs/palette.js';
import { axeFindings, describeInBrowser, launchBrowser } from '../console/browser/chromium-browser.js';
import { PATIENCE_MS } from '../support/chromium.js';
import { TestStack } from '../support/stack.js';
import { PAGES } from './built-site.js';

const WIDE = { width: 1440, height: 900 };
const rgbOf = (hex: string): string =>
  `rgb(${[1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(', ')})`;
const PHONE = { width: 360, height: 740 };
/** The directory for a picture of every page, if it is set. */
const pictures = process.env.SITE_PICTURES;

describeInBrowser('The documentation, in a browser', () => {
  let stack: TestStack;
  let browser: Browser;
  let faults: string[];
  beforeAll(async () => {
    [stack, browser] = await Promise.all([TestStack.start({}, { worker: false }), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await stack.close();
  });

  async function arrive(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context: BrowserContext = await browser.newContext({
      viewport: WIDE,
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    faults = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      const isOurs = request.url().startsWith(`${stack.url}/`) || request.url().startsWith('data:');
      if (!isOurs) faults.push(`asked ${request.url()}`);
    });
    return page;
  }

  async function picture(page: Page, name: string, fullPage = false): Promise<void> {
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: path.join(pictures, `${name}.png`), fullPage });
  }

  describe.each([
    ['on a wide screen', 'light', WIDE],
    ['on a phone', 'dark', PHONE],
    ['on a wide screen', 'dark', WIDE],
    ['on a phone', 'light', PHONE],
  ] as const)('%s in %s colours', (_, colorScheme, viewport) => {
    it.each([...PAGES.keys()])('shows %s, and axe finds nothing', async (address) => {
      const page = await arrive({ viewport, colorScheme });
      await page.goto(stack.url + address);
      const name = address === '/' ? 'home' : address.slice(1).replaceAll('/', '-');
      await picture(page, `${name}-${viewport.width}-${colorScheme}`);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  });

  it.each(['light', 'dark'] as const)('shows a page at a wrong address in %s colours', async (colorScheme) => {
    const page = await arrive({ colorScheme });
    await page.goto(`${stack.url}/no-such-page`);
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'the overview' }).click();
    await page.waitForURL(`${stack.url}/`);
    // The browser reports each 404.
    expect(faults.filter((fault) => !fault.includes('status of 404'))).toEqual([]);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'leads back from the interactive reference, in %s colours',
    async (colorScheme) => {
      const page = await arrive({ colorScheme });
      await page.goto(`${stack.url}/docs`);
      const authorize = page.getByRole('button', { name: 'Authorize' }).first();
      await authorize.waitFor();
      const [, light, dark] = /--link:light-dark\((#\w+), ?(#\w+)\)/.exec(paletteCss()) ?? [];
      const colour = await page.evaluate<string>(`getComputedStyle(document.querySelector('.btn.authorize')).color`);
      expect(colour).toBe(rgbOf((colorScheme === 'light' ? light : dark) ?? ''));
      await page.getByRole('link', { name: 'Documentation' }).click();
      await page.getByRole('heading', { level: 1, name: 'Sell game top-ups through one API' }).waitFor();
      await page.context().close();
    },
  );

  it('shows the interactive reference, which sends requests with a key and stores it nowhere', async () => {
    const { key } = await stack.merchant();
    const page = await arrive();
    await page.goto(`${stack.url}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByRole('textbox').fill(key);
    await page.getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.locator('#operations-Wallet-Wallet_get .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.getByText('"available_amount"').first().waitFor();
    expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain(key);
    await page.reload();
    await page.locator('#operations-Wallet-Wallet_get').waitFor();
    // Swagger UI logs a deprecation of its own.
    expect(faults.filter((fault) => !fault.startsWith('console: Deprecated:'))).toEqual([]);
    await page.context().close();
  });

  it('finds the words that a reader types, by keyboard alone', async () => {
    const page = await arrive();
    await page.goto(`${stack.url}/concepts`);
    await page.keyboard.press('/');
    await page.keyboard.type('OUT_OF_STOCK');
    await page.getByRole('option').first().waitFor();
    await picture(page, 'search');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('changing the secret');
    const first = page.getByRole('option', { selected: true });
    await first.getByText('Changing the secret').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/guides/webhooks#changing-the-secret');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing like this is there');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').isVisible()).toBe(false);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('finds Thai words, which have no spaces between them', async () => {
    const page = await arrive();
    await page.goto(`${stack.url}/th/getting-started`);
    await page.keyboard.press('/');
    await page.keyboard.type('ลายเซ็น');
    await page.getByRole('option', { selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/th/**');
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('shows code in the chosen language on every page', async () => {
    const page = await arrive();
    await page.goto(`${stack.url}/getting-started`);
    const shown = (): Promise<string[]> => page.getByRole('tabpanel').allTextContents();
    // The installation of a library, which has no tab for curl, and the first request.
    const inPhp = [expect.stringContaining('composer require'), expect.stringContaining('<?php')];
    await page.getByRole('tab', { name: 'curl' }).first().focus();
    await page.keyboard.press('ArrowLeft');
    const php = page.getByRole('tab', { name: 'PHP', selected: true });
    expect(await php.count()).toBe((await shown()).length);
    expect((await shown()).slice(0, 2)).toEqual(inPhp);
    await picture(page, 'tabs');
    await page.goto(`${stack.url}/th/getting-started`);
    expect((await shown()).slice(0, 2)).toEqual(inPhp);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('keeps the chosen colours', async () => {
    const page = await arrive({ colorScheme: 'light' });
    const background = (): Promise<string> => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    await page.goto(stack.url);
    const light = await background();
    await page.getByRole('button', { name: 'Light or dark' }).click();
    const dark = await background();
    expect(dark).not.toBe(light);
    await page.goto(`${stack.url}/concepts#states`);
    await picture(page, 'states');
    expect(await background()).toBe(dark);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  it('can be read and navigated without JavaScript', async () => {
    const page = await arrive({ javaScriptEnabled: false, viewport: PHONE });
    await page.goto(`${stack.url}/getting-started`);
    expect(await page.getByText('<?php').count()).toBeGreaterThan(1);
    await page.getByText('Menu', { exact: true }).click();
    await page.getByRole('link', { name: 'Concepts' }).first().click();
    await page.waitForURL('**/concepts');
    await page.getByRole('heading', { level: 1, name: 'Concepts' }).waitFor();
    await page.context().close();
  });
});
