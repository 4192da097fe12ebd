import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, ConnectionError, isEvent, Topup } from '../../sdk/typescript/src/index.js';
import { newPlayer, sellsCodes } from '../deliveries/handed-over.js';
import { keptPort } from '../support/kept-port.js';
import { eventually } from '../support/eventually.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, unique, type TestMerchant } from '../support/stack.js';
import { untilDone } from '../support/until-served.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let stack: TestStack;
let receiver: WebhookReceiver;
let sku: string;
let merchant: TestMerchant;
let topup: Topup;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  sku = await stack.product('35.00');
  stack.supplier.script('fails', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
});

const clientOf = ({ key }: TestMerchant): Topup => new Topup({ apiKey: key, baseUrl: `${stack.url}/` });

beforeEach(async () => {
  merchant = await stack.merchant();
  topup = clientOf(merchant);
});

afterAll(async () => {
  await stack.close();
  await receiver.close();
});

/** The reason of a promise's rejection. */
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => new Error('it was fulfilled'),
    (error: unknown) => error,
  );

const order = (userId = 'player-1') => ({ reference_id: unique('sdk'), user_id: userId, items: [{ sku }] });

describe('orders of the SDK', () => {
  it('are created and found, and their end can be followed', async () => {
    const wanted = order();
    const created = await topup.orders.create(wanted);
    expect(created).toMatchObject({ ...wanted, status: 'pending', total_amount: '35.00' });
    expect(await topup.orders.create(wanted)).toMatchObject({ order_number: created.order_number });
    expect(await topup.orders.get(wanted.reference_id)).toMatchObject({ order_number: created.order_number });
  });

  it('can be waited for', async () => {
    expect(await topup.orders.createAndWait(order())).toMatchObject({ status: 'completed' });
    expect(await topup.orders.createAndWait(order('fails'))).toMatchObject({
      status: 'failed',
      failure_code: 'OUT_OF_STOCK',
    });
  });

  it('have their codes when they are waited for again after their end', async () => {
    const player = newPlayer();
    const codeOf = sellsCodes(stack, player);
    const bought = { ...order(player), items: [{ sku: await stack.product('35.00', { kind: 'code' }) }] };
    const { order_number } = await topup.orders.create(bought);
    await stack.orderWith(merchant, bought.reference_id, 'completed');
    const [item] = (await topup.orders.createAndWait(bought)).items;
    expect(item?.deliveries).toMatchObject([{ unit: 1, code: codeOf(`${order_number}.1.1`) }]);
  });

  it('are waited for until the signal aborts', async () => {
    stack.supplier.script('silent', () => 'hang');
    const buyer = new AbortController();
    const { signal } = buyer;
    const wanted = order('silent');
    const failure = failureOf(topup.orders.createAndWait(wanted, { signal }));
    const isPlaced = (): Promise<boolean> =>
      topup.orders.get(wanted.reference_id).then(
        () => true,
        () => false,
      );
    await eventually(isPlaced, (placed) => placed);
    buyer.abort(new Error('the buyer left'));
    expect(await failure).toBe(signal.reason);
    expect(await topup.orders.get(wanted.reference_id)).toMatchObject({ user_id: 'silent' });
  });

  it('are listed newest first, over pages, with filters', async () => {
    const made: string[] = [];
    for (let index = 0; index < 5; index++) made.unshift((await topup.orders.create(order())).reference_id);
    const references: string[] = [];
    for await (const { reference_id } of topup.orders.list({ limit: 2 })) references.push(reference_id);
    expect(references).toEqual(made);
    expect(await topup.orders.list({ limit: 2 }).toArray(3)).toHaveLength(3);
    expect(await topup.orders.list({ reference_id: made[1] }).toArray()).toHaveLength(1);
  });

  it('may have any reference that the service accepts', async () => {
    const reference = `${unique('a/b?c#d %')}é`;
    await topup.orders.create({ ...order(), reference_id: reference });
    expect(await topup.orders.get(reference)).toMatchObject({ reference_id: reference });
  });

  it.each(['.', '..', ''])('cannot be created or found with the reference %j', async (reference) => {
    for (const make of ['create', 'createAndWait'] as const)
      expect(await failureOf(topup.orders[make]({ ...order(), reference_id: reference }))).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
      });
    const words = `must not be "${reference}": no URL leads to it`;
    const { orders, products, events } = topup;
    expect(await failureOf(orders.get(reference))).toEqual(new TypeError(`reference_id ${words}`));
    expect(await failureOf(products.get(reference))).toEqual(new TypeError(`sku ${words}`));
    expect(await failureOf(events.get(reference))).toEqual(new TypeError(`id ${words}`));
  });

  it('may have other references of dots', async () => {
    for (const reference of ['...', '%2e', '.%2E', './', '../x', '.\\', '.?']) {
      await topup.orders.create({ ...order(), reference_id: reference });
      expect(await topup.orders.get(reference)).toMatchObject({ reference_id: reference });
    }
  });
});

describe('deposits of the SDK', () => {
  it('are made once, followed until they are paid, listed and cancelled', async () => {
    const { key } = await stack.sandboxMerchant('0.00');
    const { deposits } = new Topup({ apiKey: key, baseUrl: stack.url });
    const wanted = { reference_id: 'a/b?c', amount: '1000.00', metadata: { till: '3' } };
    const made = await deposits.create(wanted);
    expect(made).toMatchObject({ ...wanted, status: 'pending' });
    expect(made.qr_image).toMatch(/^data:image\/svg\+xml;base64,/);
    expect((await deposits.create(wanted)).deposit_number).toBe(made.deposit_number);
    const paid = await eventually(
      () => deposits.get('a/b?c'),
      ({ status }) => status === 'paid',
    );
    expect(paid.payments[0]?.amount).toBe(made.amount_to_pay);
    // The first request gets no QR code, and is repeated.
    expect(await deposits.create({ reference_id: 'again', amount: '1007.00' })).toMatchObject({
      reference_id: 'again',
    });
    await deposits.create({ reference_id: 'never', amount: '1001.00' });
    expect((await deposits.cancel('never')).status).toBe('cancelled');
    expect(await failureOf(deposits.cancel('a/b?c'))).toMatchObject({ status: 409, code: 'CONFLICT' });
    const slip = '0035000600000101030000214202611241530OK5102TH9104AE4F';
    expect((await deposits.presentSlip('never', slip)).slip).toEqual({ status: 'booked', code: null });
    const failure = await failureOf(deposits.presentSlip('never', 'x'));
    expect(failure).toMatchObject({ status: 400, details: [{ code: 'INVALID_SLIP' }] });
    const listed = await deposits.list({ limit: 2 }).toArray();
    expect(listed.map(({ reference_id }) => reference_id)).toEqual(['never', 'again', 'a/b?c']);
    expect(await failureOf(deposits.get('..'))).toBeInstanceOf(TypeError);
  });

  it('are refused at once, without a repetition, where no account takes them', async () => {
    let sent = 0;
    const counting: typeof fetch = (...request) => {
      sent++;
      return fetch(...request);
    };
    const { deposits } = new Topup({ apiKey: merchant.key, baseUrl: stack.url, fetch: counting });
    const refused = await failureOf(deposits.create({ reference_id: 'none', amount: '1000.00' }));
    expect(refused).toMatchObject({ status: 503, details: [{ code: 'NO_CHANNEL' }] });
    expect(sent).toBe(1);
  });
});

describe('errors of the SDK', () => {
  it('have status, code, details and the id of the request', async () => {
    const error = await failureOf(topup.orders.create({ ...order(), items: [{ sku: 'NONE', quantity: 0 }] }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: 'ApiError',
      status: 400,
      code: 'BAD_REQUEST',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      details: [{ field: 'items[0].quantity', code: 'OUT_OF_RANGE' }],
    });
    expect((error as ApiError).has('OUT_OF_RANGE')).toBe(true);
    expect((error as ApiError).has('REQUIRED')).toBe(false);
  });

  it.each<[string, number, string, (t: Topup) => Promise<unknown>]>([
    ['an unknown order', 404, 'NOT_FOUND', (t) => t.orders.get('none')],
    [
      'an order that costs too much',
      503,
      'SERVICE_UNAVAILABLE',
      (t) => t.orders.create({ ...order(), items: [{ sku, quantity: 100 }] }),
    ],
    ['a page behind no event', 400, 'BAD_REQUEST', (t) => t.events.list({ after: 'evt_none' }).toArray()],
    ['the sandbox of a live merchant', 404, 'NOT_FOUND', (t) => t.sandbox.credit('1.00')],
  ])('are thrown for %s', async (_what, status, code, act) => {
    expect(await failureOf(act(topup))).toMatchObject({ name: 'ApiError', status, code });
  });

  it('are thrown for a wrong key, and if nothing listens', async () => {
    const wrong = new Topup({ apiKey: 'none', baseUrl: stack.url });
    expect(await failureOf(wrong.wallet.get())).toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    const nobody = new Topup({
      apiKey: 'none',
      baseUrl: `http://127.0.0.1:${await keptPort()}`,
      maxRetries: 0,
    });
    expect(await failureOf(nobody.wallet.get())).toBeInstanceOf(ConnectionError);
  });

  it.each([
    { apiKey: '', baseUrl: 'http://a' },
    { apiKey: 'a', baseUrl: 'topup.example' },
  ])('name missing settings at once: %o', (options) => {
    expect(() => new Topup(options)).toThrow(TypeError);
  });
});

describe('the rest of the SDK', () => {
  it('reads the wallet and its entries', async () => {
    await topup.orders.createAndWait(order());
    expect(await topup.wallet.get()).toMatchObject({ available_amount: '965.00', held_amount: '0.00' });
    const kinds = (await topup.wallet.entries({ limit: 1 }).toArray()).map(({ kind }) => kind);
    expect(kinds).toEqual(['order_hold', 'credit']);
  });

  it('reads products, and checks players', async () => {
    const products = await topup.products.list({ limit: 1 }).toArray();
    expect(products.map((product) => product.sku)).toContain(sku);
    expect(await topup.products.get(sku)).toMatchObject({ price: '35.00', available: true });
    expect(await topup.players.check({ sku, user_id: '1' })).toEqual({ verdict: 'unknown', name: null });
  });

  it('manages webhooks and their deliveries', () =>
    // Repeated with another merchant while the service is busy.
    untilDone(async () => {
      const { webhooks } = clientOf(await stack.merchant());
      const path = `/${unique('managed')}`;
      const created = await webhooks.create({ url: receiver.url(path) });
      expect(created.secret).toMatch(/^whsec_/);
      expect(await webhooks.list()).toHaveLength(1);
      expect(await webhooks.get(created.id)).toMatchObject({ status: 'active' });
      expect(await webhooks.update(created.id, { max_retries: 0 })).toMatchObject({ max_retries: 0 });
      const test = await webhooks.test(created.id);
      const ended = (): Promise<{ status: string }> => webhooks.delivery(created.id, test.id);
      await eventually(ended, ({ status }) => status === 'succeeded');
      await webhooks.retry(created.id, test.id);
      await eventually(
        () => receiver.at(path),
        ({ length }) => length === 2,
      );
      const deliveries = await webhooks.deliveries(created.id, { event: 'webhook.test' }).toArray();
      expect(deliveries.map(({ id }) => id)).toEqual([test.id]);
      expect(await webhooks.delete(created.id)).toBeUndefined();
      expect(await webhooks.list()).toEqual([]);
    }));

  it('lists events after the last one', async () => {
    const first = await topup.orders.createAndWait(order());
    const [event] = await topup.events.list().toArray();
    if (event === undefined || !isEvent(event, 'order.completed')) throw new Error('there is no such event');
    expect(event.data.reference_id).toBe(first.reference_id);
    expect(await topup.events.get(event.id)).toEqual(event);
    expect(await topup.events.list({ after: event.id }).toArray()).toEqual([]);
    const later = [order(), order('fails'), order()];
    for (const each of later) await topup.orders.createAndWait(each);
    const rest = await topup.events.list({ after: event.id, limit: 1 }).toArray();
    expect(rest.map((each) => each.event)).toEqual(['order.completed', 'order.failed', 'order.completed']);
  });
});
