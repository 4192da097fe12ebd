import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findChromium, launchChromium, PATIENCE_MS } from '../../support/chromium.js';
import { eventually } from '../../support/eventually.js';
import { newAddress, type ConsoleStack, type TestOperator } from '../console-stack.js';
import { keepForDocument } from './gallery.js';

const binary = await findChromium();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The directory of the built pages. */
export const BUILT = fileURLToPath(new URL('../../../dist/console', import.meta.url));
/** The directory for a picture of each page that tests look at, if it is set. */
const pictures = process.env.CONSOLE_PICTURES;

/** Tests that need a browser. Without a browser they are skipped, with a line on stderr. */
export function describeInBrowser(name: string, tests: () => void): void {
  if (binary !== null) {
    describe(name, tests);
    return;
  }
  process.stderr.write(`SKIPPED, because there is no chromium on PATH and none can be fetched: ${name}\n`);
  describe.skip(`${name} (there is no chromium)`, tests);
}

export const launchBrowser = (): Promise<Browser> => launchChromium(binary ?? { program: '', env: {} });

/** The violations that axe finds on the current page, one line for each kind. */
export async function axeFindings(page: Page): Promise<string[]> {
  // The debugger evaluates axe, because the content security policy would refuse it as a script of the page.
  await page.evaluate(axe);
  return page.evaluate<string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html + ' ' + node.any.map((each) => each.message).join('; ')).join(' | ')))`,
  );
}

/** A page: the name of its pictures, its address, and a wait for its content. */
export type PageToSee = [name: string, address: string, ready: () => Promise<void>];

interface Visit {
  language?: 'en' | 'th';
  /** The session with which the visitor is signed in from the start. */
  as?: TestOperator;
}

const WIDE = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** A person at a browser. It collects the errors of their pages. */
export class Visitor {
  readonly faults: string[] = [];

  private constructor(
    readonly stack: ConsoleStack,
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly language: 'en' | 'th',
  ) {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.faults.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => this.faults.push(`uncaught: ${error.message}`));
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== stack.url && !request.url().startsWith('data:')) this.faults.push(`asked ${request.url()}`);
      if (pathname === '/csp-report') this.faults.push(`policy: ${request.postData() ?? ''}`);
    });
  }

  static async arrive(browser: Browser, stack: ConsoleStack, { language = 'en', as }: Visit = {}): Promise<Visitor> {
    const context = await browser.newContext({
      viewport: WIDE,
      extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE_MS);
    // As text, because the tests do not have the types of a browser.
    await context.addInitScript(
      `window.localStorage.getItem('console-language') ?? window.localStorage.setItem('console-language', '${language}')`,
    );
    const cookies = [...(as?.browser.cookies ?? [])].map(([name, value]) => ({
      name,
      value,
      url: stack.url,
    }));
    await context.addCookies(cookies);
    return new Visitor(stack, context, await context.newPage(), language);
  }

  async open(address: string): Promise<void> {
    await this.page.goto(this.stack.url + address);
  }

  /** Goes to a page by its two keys. It repeats them if a busy machine pressed them too far apart. */
  async goBy(key: string, address: string): Promise<void> {
    await eventually(
      async () => {
        await this.page.keyboard.press('g');
        await this.page.keyboard.press(key);
        return this.page.waitForURL(`**${address}`, { timeout: 2_000 }).then(
          () => true,
          () => false,
        );
      },
      (isThere) => isThere,
    );
  }

  /**
   * Checks the current page on a wide screen in light colours and on a phone in dark ones: axe must find nothing, and nothing
   * may be wider than the screen. Takes a picture of each.
   */
  async look(name: string): Promise<void> {
    const looks = [
      { screen: 'wide', viewport: WIDE, colorScheme: 'light' },
      { screen: 'phone', viewport: PHONE, colorScheme: 'dark' },
      { screen: 'wide-dark', viewport: WIDE, colorScheme: 'dark' },
    ] as const;
    // Each language has its own pair. Both pairs together have every colour scheme and every size.
    const [first, second] = this.language === 'en' ? [looks[0], looks[1]] : [looks[2], looks[1]];
    for (const { screen, viewport, colorScheme } of [first, second]) {
      await this.page.setViewportSize(viewport);
      const scheme = this.language === 'th' && screen === 'phone' ? 'light' : colorScheme;
      await this.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      await this.page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: 'attached' });
      await this.hasComeToRest();
      await this.picture(`${name}-${screen}-${this.language}`);
      expect({ page: name, screen, found: await axeFindings(this.page) }).toEqual({
        page: name,
        screen,
        found: [],
      });
      const width = await this.page.evaluate<number>('document.documentElement.scrollWidth');
      expect({ page: name, screen, isTooWide: width > viewport.width }).toMatchObject({ isTooWide: false });
    }
    await this.page.setViewportSize(WIDE);
  }

  /** Takes a picture of the current page, on a wide screen in light colours. */
  async glance(name: string): Promise<void> {
    await this.page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await this.hasComeToRest();
    await this.picture(`${name}-${this.language}`);
  }

  /**
   * Waits until nothing moves and nothing loads, because axe would check an intermediate state. An animation that ends may start
   * another one.
   */
  private async hasComeToRest(): Promise<void> {
    await this.page.evaluate(`(async () => {
      const isWhole = () => !document.querySelector('#content') || document.querySelector('[aria-haspopup="menu"]');
      do {
        await Promise.all(document.getAnimations().map((each) => each.finished.catch(() => undefined)));
        await new Promise(requestAnimationFrame);
      } while (!isWhole() || document.getAnimations().length > 0);
    })()`);
  }

  /** Opens pages one after the other, and checks each. */
  async lookAt(pages: readonly PageToSee[]): Promise<void> {
    for (const [name, address, ready] of pages) {
      await this.open(address);
      await ready();
      await this.look(name);
    }
  }

  async picture(name: string): Promise<void> {
    await keepForDocument(this.page, name);
    if (!pictures) return;
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: path.join(pictures, `${name}.png`) });
  }

  /**
   * Ends a visit, and expects that there were no errors. Pages repeat requests that a busy console refuses with 503.
   * @param caused errors that the test itself caused.
   */
  async leave(...caused: RegExp[]): Promise<void> {
    await this.context.close();
    const expected = [/^console: Failed to load resource: .* status of 503 /, ...caused];
    expect(this.faults.filter((fault) => !expected.some((pattern) => pattern.test(fault)))).toEqual([]);
  }
}
