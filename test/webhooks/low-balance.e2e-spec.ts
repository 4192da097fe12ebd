import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkedBaht } from '../../src/core/money.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventuallyWithoutSweeper } from '../support/locks.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { Endpoints, Hooks, type Arrival } from './support.js';

interface LowBalance {
  id: string;
  event: string;
  timestamp: number;
  data: { currency: string; available_amount: string; threshold_amount: string };
}

let stack: TestStack;
let endpoints: Endpoints;
let sku: string;

beforeAll(async () => {
  endpoints = await new Endpoints().listen();
  stack = await TestStack.start();
  sku = await stack.product('10.00');
});

afterAll(() => closeWithBalancedBooks(stack, endpoints));

const wallets = (): WalletService => stack.api.get(WalletService);
const alertBelow = (merchant: TestMerchant, baht: string | null): Promise<unknown> =>
  wallets().setAlert(merchant.id, baht === null ? null : checkedBaht(baht), { operator: 'test' });
const debit = (merchant: TestMerchant, baht: string): Promise<unknown> =>
  wallets().debit({
    merchantId: merchant.id,
    amount: checkedBaht(baht),
    reference: unique('debit'),
    operator: 'test',
  });

/** A merchant with an alert for a balance below 500.00. */
async function merchantWithAlert(balance: string): Promise<{ merchant: TestMerchant; url: string }> {
  const merchant = await stack.merchant(balance);
  const url = endpoints.add();
  await new Hooks(merchant).register(url, { events: ['wallet.low_balance'] });
  await alertBelow(merchant, '500.00');
  return { merchant, url };
}

const recorded = (merchant: TestMerchant): Promise<{ body: string }[]> =>
  stack.sql<{ body: string }>(
    `SELECT body FROM events WHERE merchant_id = $1 AND kind = 'wallet.low_balance' ORDER BY id`,
    [merchant.id],
  );

const amounts = async (merchant: TestMerchant): Promise<string[]> =>
  (await recorded(merchant)).map(({ body }) => (JSON.parse(body) as LowBalance).data.available_amount);

describe('a balance that falls below the merchant’s threshold', () => {
  it('causes one event, with the remaining balance, to the webhooks that subscribe to it', async () => {
    const { merchant, url } = await merchantWithAlert('505.00');
    await stack.order(merchant, [{ sku }]);
    await stack.order(merchant, [{ sku }]);
    const [arrival] = await endpoints.arrived(url);
    const { body, headers } = arrival as Arrival;
    const event = JSON.parse(body) as LowBalance;
    expect(event).toEqual({
      id: headers['webhook-id'],
      event: 'wallet.low_balance',
      timestamp: expect.any(Number) as unknown as number,
      data: { currency: 'THB', available_amount: '495.00', threshold_amount: '500.00' },
    });
    expect(Object.keys(event)).toEqual(['id', 'event', 'timestamp', 'data']);
    expect(await recorded(merchant)).toEqual([{ body }]);
    const hooks = new Hooks(merchant);
    const [webhook] = (await merchant.client.get<{ id: number }[]>('/v1/merchant-webhooks')).body;
    const deliveries = await hooks.deliveries(webhook?.id ?? 0, '?event=wallet.low_balance');
    expect(deliveries).toMatchObject([{ event: 'wallet.low_balance', reference_id: null }]);
  });

  it('causes the event at once, not at the next round of the sweeper', async () => {
    const urls: string[] = [];
    const fall = async (): Promise<void> => {
      const { merchant, url } = await merchantWithAlert('505.00');
      urls.push(url);
      await stack.order(merchant, [{ sku }]);
    };
    await eventuallyWithoutSweeper(
      stack,
      fall,
      () => urls.flatMap((url) => endpoints.at(url)),
      ({ length }) => length > 0,
    );
  });

  it('causes another event only after the balance was raised; a balance at the threshold is not below it', async () => {
    const { merchant } = await merchantWithAlert('510.00');
    await debit(merchant, '10.00');
    expect(await amounts(merchant)).toEqual([]);
    await debit(merchant, '0.01');
    await debit(merchant, '100.00');
    expect(await amounts(merchant)).toEqual(['499.99']);
    await stack.credit(merchant.id, '200.00');
    await stack.order(merchant, [{ sku, quantity: 10 }]);
    expect(await amounts(merchant)).toEqual(['499.99', '499.99']);
  });

  it('causes one event, even if many orders arrive at once', async () => {
    const { merchant } = await merchantWithAlert('600.00');
    await Promise.all(Array.from({ length: 40 }, () => stack.order(merchant, [{ sku }])));
    expect(await amounts(merchant)).toEqual(['490.00']);
  });

  it('causes no event by a refused order, without an alert, or when an alert is set', async () => {
    const { merchant } = await merchantWithAlert('505.00');
    const tooMuch = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku, quantity: 100 }] };
    expect((await merchant.client.post('/v1/orders', tooMuch)).status).toBe(503);
    await alertBelow(merchant, null);
    await debit(merchant, '100.00');
    await alertBelow(merchant, '500.00');
    expect(await recorded(merchant)).toEqual([]);
  });
});

describe('the event wallet.low_balance', () => {
  it('is sent only to webhooks that subscribe to it', async () => {
    const merchant = await stack.merchant('505.00');
    const url = endpoints.add();
    const webhook = await new Hooks(merchant).register(url);
    expect(webhook.events).toEqual(['order.completed', 'order.failed']);
    await alertBelow(merchant, '500.00');
    const { reference_id } = await stack.order(merchant, [{ sku }]);
    await stack.orderWith(merchant, reference_id, 'completed');
    const [first] = await endpoints.arrived(url);
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ event: 'order.completed' });
    expect(await recorded(merchant)).toHaveLength(1);
    const deliveries = await stack.sql('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [webhook.id]);
    expect(deliveries).toHaveLength(1);
  });

  it('can be subscribed to beside the ends of orders', async () => {
    const merchant = await stack.merchant();
    const hooks = new Hooks(merchant);
    const webhook = await hooks.register(endpoints.add());
    const events = ['order.failed', 'wallet.low_balance'];
    expect((await hooks.patch(webhook.id, { events })).events).toEqual(events);
    const refused = await merchant.client.patch(`/v1/merchant-webhooks/${webhook.id}`, {
      events: ['wallet.high'],
    });
    expect(refused.status).toBe(400);
  });
});
