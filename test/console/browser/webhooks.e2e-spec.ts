import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { DeliveryDetail, WebhookBody } from '../../webhooks/support.js';
import type { TestOperator } from '../console-stack.js';
import { startWebhookScene, type WebhookScene } from '../webhook-scene.js';
import { BUILT, describeInBrowser, launchBrowser, Visitor, type PageToSee } from './chromium-browser.js';

describeInBrowser('Webhooks, in a browser', () => {
  let scene: WebhookScene;
  let browser: Browser;
  let support: TestOperator;
  let good: WebhookBody;
  let bad: WebhookBody;
  let failed: DeliveryDetail;

  beforeAll(async () => {
    [scene, browser] = await Promise.all([startWebhookScene({ pagesFrom: BUILT }), launchBrowser()]);
    support = await scene.console.signedIn('support');
    good = (await scene.delivered([204], 'succeeded')).webhook;
    ({ webhook: bad, delivery: failed } = await scene.delivered([500, 500, 204], 'failed'));
  });
  afterAll(async () => {
    await browser.close();
    await scene.close();
  });

  const arrive = (language: 'en' | 'th' = 'en', as = support): Promise<Visitor> =>
    Visitor.arrive(browser, scene.console, { language, as });

  it.each(['en', 'th'] as const)(
    'are whole in %s, in both schemes, on a wide screen and on a phone',
    async (language) => {
      const visitor = await arrive(language);
      const { page } = visitor;
      const table = (): Promise<void> => page.locator('table').first().waitFor();
      const pages: PageToSee[] = [
        ['webhooks', '/webhooks', table],
        ['webhooks-none', '/webhooks?status=inactive', () => page.locator('h1').waitFor()],
        ['webhook', `/webhooks/${bad.id}`, table],
        [
          'webhook-delivery',
          `/webhooks/${bad.id}?delivery=${failed.id}`,
          () => page.locator('aside pre').first().waitFor(),
        ],
        ['webhook-missing', '/webhooks/999999', () => page.getByRole('alert').waitFor()],
        ['deliveries', '/deliveries', table],
        [
          'deliveries-delivery',
          `/deliveries?status=failed&delivery=${failed.id}`,
          () => page.locator('aside pre').first().waitFor(),
        ],
      ];
      await visitor.lookAt(pages);
      await visitor.leave(/Failed to load resource.*404/);
    },
  );

  it('are reached by keyboard alone, to a delivery and back', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open('/');
    await page.locator('h1').waitFor();
    await visitor.goBy('w', '/webhooks');
    await page.getByRole('link', { name: bad.url }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: bad.url }).waitFor();
    await page.getByRole('link', { name: 'order.completed' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: `Delivery ${failed.id}` });
    await panel.getByText('HTTP 500').waitFor();
    expect(new URL(page.url()).searchParams.get('delivery')).toBe(String(failed.id));
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    // The list is the same one as before, so the focus is at the row again.
    await page.getByRole('link', { name: 'order.completed' }).and(page.locator(':focus')).waitFor();
    await visitor.leave();
  });

  it('get a test event, and one delivery again', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/webhooks/${good.id}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    const panel = page.getByRole('complementary');
    await panel.getByText('webhook.test', { exact: true }).waitFor();
    await panel.getByText('HTTP 204').waitFor();
    await panel.getByRole('button', { name: 'Attempt now' }).click();
    await panel.getByText('Attempt 2').waitFor();
    await visitor.leave();
  });

  it('alert an operator to a failure, until the operator closes the message', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    const message = 'This webhook was deleted meanwhile';
    await page.route('**/api/webhooks/*/test', (route) =>
      route.fulfill({ status: 409, json: { status: 409, code: 'CONFLICT', message } }),
    );
    await visitor.open(`/webhooks/${good.id}`);
    await page.getByRole('button', { name: 'Send test event' }).click();
    const alert = page.getByRole('alert').filter({ hasText: message });
    await alert.waitFor();
    await visitor.look('webhook-test-failed');
    await alert.getByRole('button', { name: 'Close' }).click();
    await alert.waitFor({ state: 'detached' });
    await visitor.leave(/Failed to load resource.*409/);
  });

  it('are replayed after a count, as a job with progress', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    await visitor.open(`/webhooks/${bad.id}?status=failed`);
    await page.getByRole('button', { name: 'Replay …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 delivery is attempted once more, now.').waitFor();
    expect(await page.locator(':focus').textContent()).toBe('Cancel');
    await visitor.look('replay');
    await dialog.getByLabel('Status').selectOption('cancelled');
    await dialog.getByText('Nothing matches').waitFor();
    expect(await dialog.getByRole('button', { name: /^Replay/ }).isDisabled()).toBe(true);
    await dialog.getByLabel('Status').selectOption('failed');
    await dialog.getByRole('button', { name: 'Replay 1 delivery' }).click();
    const job = page.getByRole('region', { name: 'Replay' });
    await job.getByText('Succeeded').waitFor();
    await job.getByText('1 of 1').waitFor();
    await visitor.look('replayed');
    await visitor.leave();
  });

  it('show errors, and name a missing permission', async () => {
    const visitor = await arrive();
    const { page } = visitor;
    let answer = {
      status: 503,
      code: 'SERVICE_UNAVAILABLE',
      message: 'PostgreSQL does not respond',
      details: [] as object[],
    };
    await page.route(/\/api\/(webhooks|deliveries)(\?|$)/, (route) =>
      route.fulfill({ status: answer.status, json: answer }),
    );
    await visitor.open('/webhooks');
    await page.getByText('PostgreSQL does not respond').waitFor();
    await visitor.look('webhooks-broken');
    const message = 'This needs the permission webhooks.read';
    answer = {
      status: 403,
      code: 'FORBIDDEN',
      message,
      details: [{ field: 'webhooks.read', code: 'PERMISSION_REQUIRED', message }],
    };
    await visitor.open('/deliveries');
    await page.getByText('The permission webhooks.read is missing.').waitFor();
    await visitor.leave(/Failed to load resource/);
  });

  it('hide from a viewer the actions of other roles', async () => {
    const visitor = await arrive('en', await scene.console.signedIn('viewer'));
    const { page } = visitor;
    await visitor.open(`/webhooks/${bad.id}?delivery=${failed.id}`);
    await page.getByRole('complementary').getByText('HTTP 500').first().waitFor();
    expect(await page.getByRole('button', { name: /Replay|Send test|Attempt now/ }).count()).toBe(0);
    await visitor.leave();
  });
});
