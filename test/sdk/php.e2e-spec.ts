import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptPort } from '../support/kept-port.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';
import { AUTOLOAD, call, describePhp, SDK, servePhp, type Called } from './php/php.js';

const SHOP = path.join(SDK, 'examples/shop.php');

describePhp('the SDK for PHP, against the service', () => {
  let stack: TestStack;
  let receiver: WebhookReceiver;
  let merchant: TestMerchant;
  let sku: string;

  beforeAll(async () => {
    stack = await TestStack.start();
    receiver = await new WebhookReceiver().listen();
    merchant = await stack.sandboxMerchant('1000.00');
    sku = await stack.product('35.00', { supplier: undefined });
  });

  afterAll(() => closeWithBalancedBooks(stack, receiver));

  /** The SDK gives up on a busy service after some repeats, and at once where a request may have had an effect. */
  const isServed = ({ thrown, details }: Called): boolean =>
    thrown !== 'Topup\\Exception\\ServiceUnavailable' || (details as object[]).length > 0;
  const run = (code: string, key = merchant.key): Promise<Called> =>
    eventually(() => call(stack.url, key, code), isServed);
  /** Runs code for a new merchant: each time that it is repeated, the one before may have had effects. */
  const runAnew = (code: string): Promise<Called> =>
    eventually(async () => call(stack.url, (await stack.sandboxMerchant('0.00')).key, code), isServed);
  const order = (reference: string, more = ''): string =>
    `['reference_id' => '${reference}', 'user_id' => 'player-1', 'items' => [['sku' => '${sku}']], ${more}]`;

  it('orders, is charged once for a repeated order, and waits for the end', async () => {
    const reference = unique('php order/1');
    const placed = await run(`return $topup->orders->create(${order(reference, `'metadata' => []`)});`);
    expect(placed.value).toMatchObject({ reference_id: reference, total_amount: '35.00' });
    const again = await run(`return $topup->orders->createAndWait(${order(reference)});`);
    expect(again.value).toMatchObject({
      order_number: (placed.value as object)['order_number' as never],
      status: 'completed',
    });
    expect((await run(`return $topup->orders->get('${reference}');`)).value).toEqual(again.value);
    expect((await stack.wallet(merchant)).available).toBe('965.00');
  });

  it('refuses references that cannot be in a URL, before any request', async () => {
    for (const name of ['.', '..']) {
      for (const make of ['create', 'createAndWait'])
        expect((await run(`return $topup->orders->${make}(${order(name)});`)).thrown).toBe(
          'Topup\\Exception\\BadRequest',
        );
      for (const resource of ['orders', 'products', 'events'])
        expect((await run(`return $topup->${resource}->get('${name}');`)).thrown).toBe('InvalidArgumentException');
    }
    for (const reference of ['...', '%2e', '../x']) {
      await run(`return $topup->orders->create(${order(reference)});`);
      const { value } = await run(`return $topup->orders->get('${reference}');`);
      expect(value).toMatchObject({ reference_id: reference });
    }
  });

  it('throws if an order does not end in time', async () => {
    const reference = unique('slow');
    const body = order(reference).replace('player-1', 'sim-lost');
    await run(`return $topup->orders->create(${body});`);
    await stack.orderWith(merchant, reference, 'processing');
    const { thrown, order: open } = await run(`return $topup->orders->createAndWait(${body}, 0.5);`);
    expect([thrown, (open as { status: string }).status]).toEqual(['Topup\\Exception\\OrderStillOpen', 'processing']);
  });

  it('reads lists page after page', async () => {
    const place = `$topup->orders->create(array_replace(${order('x')}, ['reference_id' => uniqid('many-', true)]));`;
    const { value } = await run(`
      for ($n = 0; $n < 5; $n++) { ${place} }
      $all = iterator_to_array($topup->orders->list(['limit' => 2]));
      return [count($all) >= 5, count(array_unique(array_column($all, 'order_number'))) === count($all)];`);
    expect(value).toEqual([true, true]);
  });

  it('reads wallet, statement, products and events', async () => {
    const { value } = await run(`
      return ['wallet' => $topup->wallet->get(), 'first' => $topup->wallet->entries()->current(),
              'product' => $topup->products->get('${sku}'), 'products' => count(iterator_to_array($topup->products->list())),
              'event' => $topup->events->get($topup->events->list(['type' => 'order.completed'])->current()['id'])];`);
    expect(value).toMatchObject({
      wallet: { currency: 'THB' },
      first: { kind: 'order_hold', amount: '-35.00' },
      product: { sku, price: '35.00' },
      products: 1,
      event: { event: 'order.completed' },
    });
  });

  it('makes deposits, follows, lists and cancels them', async () => {
    const { value } = await run(`
      $wanted = ['reference_id' => 'php deposit/1', 'amount' => '1001.00', 'metadata' => []];
      $made = $topup->deposits->create($wanted);
      $again = $topup->deposits->create($wanted);
      $finished = $topup->deposits->create(['reference_id' => 'php finished', 'amount' => '1007.00']);
      return [$made['status'], $again['deposit_number'] === $made['deposit_number'], $finished['qr_payload'] !== null,
              $topup->deposits->get('php deposit/1')['amount_to_pay'] === $made['amount_to_pay'],
              $topup->deposits->cancel('php deposit/1')['status'],
              $topup->deposits->presentSlip('php deposit/1', '0038000600000101030000217202611241530OTHER5102TH91047893')['slip']['status'],
              array_column(iterator_to_array($topup->deposits->list(['limit' => 1])), 'reference_id')];`);
    expect(value).toEqual(['pending', true, true, true, 'cancelled', 'refused', ['php finished', 'php deposit/1']]);
    const live = await stack.merchant('0.00');
    const refused = await run(
      `return $topup->deposits->create(['reference_id' => 'x', 'amount' => '1000.00']);`,
      live.key,
    );
    expect([refused.thrown, refused.waits]).toEqual(['Topup\\Exception\\ServiceUnavailable', []]);
  });

  it('checks players, and credits a sandbox wallet', async () => {
    const check = `$topup->players->check(['sku' => '${sku}', 'user_id' => 'sim-fail-invalid_player'])['verdict']`;
    expect((await run(`return ${check};`)).value).toBe('invalid');
    const credited = await runAnew(`return $topup->sandbox->credit('10.50');`);
    expect(credited.value).toMatchObject({ available_amount: '10.50' });
    const live = await stack.merchant('0.00');
    expect((await run(`return $topup->sandbox->credit('10.50');`, live.key)).thrown).toBe('Topup\\Exception\\NotFound');
  });

  it('registers, changes, tests and removes webhooks', async () => {
    const { value } = await runAnew(`
      $hook = $topup->webhooks->create(['url' => '${receiver.url('/php')}']);
      $changed = $topup->webhooks->update($hook['id'], ['max_retries' => 0]);
      $delivery = $topup->webhooks->test($hook['id']);
      while (($seen = $topup->webhooks->delivery($hook['id'], $delivery['id']))['status'] === 'pending') usleep(50000);
      $log = iterator_to_array($topup->webhooks->deliveries($hook['id'], ['event' => 'webhook.test']));
      $listed = count($topup->webhooks->list());
      $topup->webhooks->delete($hook['id']);
      return [$hook['secret'], $changed['max_retries'], $seen['status'], count($log), $listed, $topup->webhooks->list()];`);
    expect(value).toEqual([expect.stringMatching(/^whsec_/), 0, 'succeeded', 1, 1, []]);
  });

  it.each([
    [`$topup->orders->get('none')`, 'NotFound', 404],
    [`$topup->orders->create(['reference_id' => 'x'])`, 'BadRequest', 400],
    [`$topup->orders->list(['limit' => 0])->current()`, 'BadRequest', 400],
  ])('%s throws %s', async (code, exception, status) => {
    const { thrown, ...members } = await run(`return ${code};`);
    expect([thrown, members.status, members.waits]).toEqual([`Topup\\Exception\\${exception}`, status, []]);
    expect(members.requestId).toMatch(/^req_/);
  });

  it('has the reasons of refusals for the balance and for the reference', async () => {
    const reference = unique('twice');
    await run(`return $topup->orders->create(${order(reference)});`);
    const other = order(reference).replace('player-1', 'player-2');
    expect((await run(`return $topup->orders->create(${other});`)).thrown).toBe('Topup\\Exception\\DuplicateReference');
    const dear = order(unique('dear')).replace(`'sku' => '${sku}'`, `'sku' => '${sku}', 'quantity' => 100`);
    const refused = await run(`return $topup->orders->create(${dear});`);
    expect([refused.thrown, refused.waits]).toEqual(['Topup\\Exception\\InsufficientBalance', []]);
    const caught = (call: string): string =>
      `try { ${call}; } catch (Topup\\Exception\\ApiException $e) { return $e->isInsufficientBalance(); }`;
    for (const [call, isEmpty] of [
      [`$topup->orders->create(${dear})`, true],
      [`$topup->orders->get('none')`, false],
    ] as const)
      expect((await run(caught(call))).value).toBe(isEmpty);
    expect((await run(`return $topup->wallet->get();`, 'topup_test_wrong')).thrown).toBe(
      'Topup\\Exception\\Unauthorized',
    );
  });

  describe('the shop of the example', () => {
    let shop: ChildProcess;
    let url: string;
    let directory: string;

    beforeAll(async () => {
      directory = mkdtempSync(path.join(tmpdir(), 'shop-'));
      url = `http://127.0.0.1:${await keptPort()}`;
      const { body } = await merchant.client.post<{ secret: string }>('/v1/merchant-webhooks', {
        url: `${url}/webhooks/topup`,
        include_deliveries: true,
      });
      const settings = { AUTOLOAD, SHOP_DIR: directory, TOPUP_URL: stack.url, TOPUP_API_KEY: merchant.key };
      shop = servePhp(url.slice('http://'.length), SHOP, { ...settings, WEBHOOK_SECRET: body.secret });
      const answers = (): Promise<boolean> =>
        fetch(url).then(
          () => true,
          () => false,
        );
      await eventually(answers, Boolean);
    });

    afterAll(() => {
      shop.kill();
      rmSync(directory, { recursive: true });
    });

    const checkout = (userId: string, items: object[], price = '1000.00', id = unique('cart')): Promise<Response> =>
      fetch(`${url}/checkout`, {
        method: 'POST',
        body: JSON.stringify({ id, price, order: { user_id: userId, items } }),
      });

    const saleAfter = async (id: string): Promise<{ state: string; codes: unknown }> => {
      const ask = async (): Promise<{ state: string; codes: unknown }> =>
        (await fetch(`${url}/sale?id=${id}`)).json() as Promise<{ state: string; codes: unknown }>;
      return eventually(ask, ({ state }) => state !== 'ordering');
    };

    it('has at most 60 lines', () => {
      const text = readFileSync(SHOP, 'utf8');
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    });

    it('sells a card, and delivers its code after the webhook', async () => {
      const card = await stack.product('50.00', { supplier: undefined, kind: 'code' });
      const response = await checkout('player-1', [{ sku: card }]);
      expect(response.status).toBe(202);
      const { id } = (await response.json()) as { id: string };
      expect(await saleAfter(id)).toMatchObject({
        state: 'completed',
        codes: [[{ unit: 1, code: expect.stringMatching(/^SANDBOX-/) as unknown }]],
      });
    });

    it('sells a cart once that is sent again, also after its end', async () => {
      const [player, cart] = [unique('player'), unique('cart')];
      for (let times = 0; times < 2; times++) {
        const response = await checkout(player, [{ sku }], '1000.00', cart);
        expect([response.status, await response.json()]).toEqual([202, { id: `cart-${cart}` }]);
        expect((await saleAfter(`cart-${cart}`)).state).toBe('completed');
      }
      const { body } = await merchant.client.get<{ data: object[] }>(`/v1/orders?user_id=${player}`);
      expect(body.data).toMatchObject([{ reference_id: `cart-${cart}` }]);
    });

    it('keeps a sale whose order may exist, and forgets one that was refused', async () => {
      const [cart, dear] = [unique('cart'), unique('cart')];
      await stack.sql('ALTER TABLE merchant_prices RENAME TO merchant_prices_away');
      try {
        expect((await checkout('player-1', [{ sku }], '1000.00', cart)).status).toBe(202);
      } finally {
        await stack.sql('ALTER TABLE merchant_prices_away RENAME TO merchant_prices');
      }
      expect((await checkout('player-1', [{ sku }], '1000.00', cart)).status).toBe(202);
      expect((await saleAfter(`cart-${cart}`)).state).toBe('completed');
      expect((await checkout('player-1', [{ sku }], '34.99', dear)).status).toBe(422);
      expect((await checkout('player-1', [{ sku }], '35.00', dear)).status).toBe(202);
    });

    it('keeps the sale of an order that exists, even if the service refuses the same cart now', async () => {
      const cart = unique('cart');
      await checkout('player-1', [{ sku }], '1000.00', cart);
      const sale = await saleAfter(`cart-${cart}`);
      const status = async (): Promise<number> => (await merchant.client.get('/v1/wallet')).status;
      const set = (to: string): Promise<unknown> =>
        stack.sql('UPDATE merchants SET status = $2 WHERE id = $1', [merchant.id, to]);
      await set('suspended');
      await eventually(status, (code) => code === 403);
      try {
        expect((await checkout('player-1', [{ sku }], '1000.00', cart)).status).toBe(202);
        expect(await saleAfter(`cart-${cart}`)).toEqual(sale);
      } finally {
        await set('active');
        await eventually(status, (code) => code === 200);
      }
    });

    it('shows a failure, and refuses an order whose price has risen, and an unsigned webhook', async () => {
      const { id } = (await (await checkout('sim-fail-out_of_stock', [{ sku }])).json()) as { id: string };
      expect((await saleAfter(id)).state).toBe('failed');
      expect((await checkout('player-1', [{ sku }], '34.99')).status).toBe(422);
      const forged = await fetch(`${url}/webhooks/topup`, { method: 'POST', body: '{}' });
      expect(forged.status).toBe(400);
    });
  });
});
