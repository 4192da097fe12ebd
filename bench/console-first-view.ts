import { once } from 'node:events';
import type { Browser } from 'playwright-core';
import { findChromium, launchChromium } from '../test/support/chromium.js';
import { createCatalog } from './support/catalog.js';
import { startConsole } from './support/console.js';
import { addInactiveWebhooks, fillWithOrders } from './support/filling.js';
import { median, report, round } from './support/figures.js';
import { Operator } from './support/operator.js';
import { startStack } from './support/stack.js';
import { createWallets } from './support/wallets.js';

// The time until an operator sees the list of orders in a browser with an empty cache: the first paint, and the first order that
// can be clicked. Once on this machine, and once on a machine four times slower behind 10 Mbit/s and 40 ms. Goals, in
// seconds: first paint 0.8, usable 1.2; usable on the slow machine 3.

const ORDERS = 10_000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SLOW = { cpu: 4, bytesPerSecond: 10_000_000 / 8, latencyMs: 40 };

interface View {
  paint: number;
  usable: number;
}

const program = await findChromium();
if (program === null) throw new Error('there is no chromium on PATH, and none can be fetched');
const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' });
const supplier = await createCatalog(stack);
const wallets = await createWallets(stack.database, 20);
await addInactiveWebhooks(stack.database, wallets);
await fillWithOrders(stack.database, wallets, 0, ORDERS);
await stack.database.query('VACUUM (ANALYZE)');
const { child, url } = await startConsole(stack);
const operator = await Operator.signIn(stack, url, 1);
const browser = await launchChromium(program);

const views = { fast: await measure(browser, false), slow: await measure(browser, true) };
const of = (from: View[], figure: keyof View): number => round(median(from.map((each) => each[figure])) / 1_000, 2);
report(
  'console-first-view',
  Object.entries(views).flatMap(([machine, all]) =>
    all.map(({ paint, usable }) => ({
      machine,
      'paint, ms': round(paint, 0),
      'usable, ms': round(usable, 0),
    })),
  ),
  {
    'first paint, s (goal <= 0.8)': of(views.fast, 'paint'),
    'usable, s (goal <= 1.2)': of(views.fast, 'usable'),
    'first paint, slow machine, s': of(views.slow, 'paint'),
    'usable, slow machine, s (goal <= 3)': of(views.slow, 'usable'),
  },
);
await browser.close();
supplier.disconnect();
child.kill('SIGTERM');
await once(child, 'exit');
await stack.stop();
process.exit(0);

async function measure(chromium: Browser, isSlow: boolean): Promise<View[]> {
  const measured: View[] = [];
  for (let n = 0; n < ROUNDS; n++) measured.push(await view(chromium, isSlow));
  return measured;
}

/** One visit of a signed-in operator, with an empty cache. */
async function view(chromium: Browser, isSlow: boolean): Promise<View> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([...operator.cookies].map(([name, value]) => ({ name, value, url })));
  const page = await context.newPage();
  if (isSlow) {
    const devTools = await context.newCDPSession(page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
    await devTools.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: SLOW.latencyMs,
      downloadThroughput: SLOW.bytesPerSecond,
      uploadThroughput: SLOW.bytesPerSecond,
    });
  }
  const startedMs = performance.now();
  await page.goto(`${url}/orders`, { waitUntil: 'commit' });
  await page.locator('a[href^="/orders/ord_"]').first().click({ trial: true });
  const usable = performance.now() - startedMs;
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
  await context.close();
  return { paint, usable };
}
