import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { endProcess } from '../support/child-process.js';
import { eventually } from '../support/eventually.js';
import { keptPort } from '../support/kept-port.js';
import { TestStack, type TestMerchant } from '../support/stack.js';
import { describeLaravel, serveLaravel } from './php/laravel.js';
import { SDK } from './php/php.js';

const EXAMPLE = path.join(SDK, 'examples/laravel');

describeLaravel('the shop in Laravel', () => {
  let stack: TestStack;
  let merchant: TestMerchant;
  let shop: ChildProcess | undefined;
  let url: string;
  let directory: string;
  let session: Record<string, string>;

  beforeAll(async () => {
    stack = await TestStack.start();
    merchant = await stack.sandboxMerchant('100.00');
    directory = mkdtempSync(path.join(tmpdir(), 'laravel-'));
    url = `http://127.0.0.1:${await keptPort()}`;
    const { body } = await merchant.client.post<{ secret: string }>('/v1/merchant-webhooks', {
      url: `${url}/webhooks/topup`,
    });
    const settings = { TOPUP_URL: stack.url, TOPUP_API_KEY: merchant.key, WEBHOOK_SECRET: body.secret };
    shop = serveLaravel(url.slice('http://'.length), directory, settings);
    const page = await eventually(
      () => fetch(`${url}/token`).catch(() => null),
      (response) => response !== null,
    );
    const cookies = page?.headers.getSetCookie().map((cookie) => cookie.split(';')[0]) ?? [];
    session = { 'x-csrf-token': (await page?.text()) ?? '', cookie: cookies.join('; ') };
  });

  afterAll(async () => {
    if (shop) await endProcess(shop);
    await closeWithBalancedBooks(stack);
    rmSync(directory, { recursive: true });
  });

  const checkout = (sku: string, player: string, cart: string = randomUUID(), price = '50.00'): Promise<Response> =>
    fetch(`${url}/checkout`, {
      method: 'POST',
      headers: { ...session, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ id: cart, sku, player, price }),
    });

  const saleAfter = async (cart: string): Promise<{ state: string; codes: unknown }> => {
    const ask = async (): Promise<{ state: string; codes: unknown }> =>
      (await fetch(`${url}/sales/cart-${cart}`)).json() as Promise<{ state: string; codes: unknown }>;
    return eventually(ask, ({ state }) => state !== 'ordering');
  };

  it('has a controller, a provider, a configuration and routes of some 60 lines', () => {
    const files = [
      'app/Http/Controllers/TopupController.php',
      'app/Providers/TopupServiceProvider.php',
      'config/topup.php',
      'routes/web.php',
    ];
    const code = files.map((file) => readFileSync(path.join(EXAMPLE, file), 'utf8')).join('\n');
    const lines = code.split('\n').filter((line) => /\S/.test(line) && !/^(<\?php|use |namespace )/.test(line));
    expect(lines.length).toBeLessThanOrEqual(70);
  });

  it('sells a cart once, even if it is sent several times, and delivers its code after the webhook', async () => {
    const card = await stack.product('50.00', { supplier: undefined, kind: 'code' });
    const cart = randomUUID();
    expect((await checkout(card, 'player-1', cart)).status).toBe(202);
    expect((await checkout(card, 'player-1', cart)).status).toBe(202);
    expect(await saleAfter(cart)).toMatchObject({
      state: 'completed',
      codes: [{ unit: 1, code: expect.stringMatching(/^SANDBOX-/) as unknown }],
    });
    expect((await stack.wallet(merchant)).available).toBe('50.00');
  });

  it('shows a failure, and refuses an order if the price has risen or the wallet is empty', async () => {
    const sku = await stack.product('50.00', { supplier: undefined });
    const cart = randomUUID();
    await checkout(sku, 'sim-fail-out_of_stock', cart);
    expect((await saleAfter(cart)).state).toBe('failed');
    expect((await checkout(sku, 'player-1', undefined, '49.99')).status).toBe(422);
    const dear = await stack.product('500.00', { supplier: undefined });
    expect((await checkout(dear, 'player-1', undefined, '500.00')).status).toBe(503);
  });

  it('accepts webhooks without a token of the session, but only signed ones', async () => {
    const post = (to: string): Promise<Response> => fetch(url + to, { method: 'POST', body: '{}' });
    expect((await post('/webhooks/topup')).status).toBe(400);
    expect((await post('/checkout')).status).toBe(419);
  });
});
