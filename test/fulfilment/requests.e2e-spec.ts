import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretBox } from '../../src/core/secret-box.js';
import { supplierPlace } from '../../src/suppliers/supplier.entity.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { bought, FakeSupplier } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;

beforeAll(async () => {
  stack = await TestStack.start();
  merchant = await stack.merchant('10000.00');
});

afterAll(() => closeWithBalancedBooks(stack));

async function completed(request: object): Promise<OrderBody> {
  const order = { reference_id: unique('order'), user_id: 'player-1', ...request };
  const { status } = await merchant.client.post('/v1/orders', order);
  expect(status).toBe(200);
  return stack.orderWith(merchant, order.reference_id, 'completed');
}

describe('8.2 One reference per unit: <order_number>.<item>.<unit>', () => {
  it('each unit of each item is sent once, under its own reference', async () => {
    const [one, other] = [await stack.product(), await stack.product()];
    const items = [{ sku: one, quantity: 3 }, { sku: other }, { sku: one, quantity: 2 }];
    const { order_number } = await completed({ items });
    const sent = stack.supplier.about(order_number).map(({ body }) => `${body?.reference} ${body?.sku}`);
    const expected = [`1.1 ${one}`, `1.2 ${one}`, `1.3 ${one}`, `2.1 ${other}`, `3.1 ${one}`, `3.2 ${one}`];
    expect(sent.sort()).toEqual(expected.map((unit) => `${order_number}.${unit}`));
  });

  it('an order of 100 units makes 100 requests, one for each reference', async () => {
    const sku = await stack.product('1.00');
    const { order_number } = await completed({ items: [{ sku, quantity: 100 }] });
    const references = stack.supplier.about(order_number).map(({ reference }) => reference);
    expect(references).toHaveLength(100);
    expect(new Set(references)).toEqual(
      new Set(Array.from({ length: 100 }, (_, index) => `${order_number}.1.${index + 1}`)),
    );
  });
});

describe('8 The request to the supplier', () => {
  it('has exactly the members of the protocol, null if the order has no value', async () => {
    const sku = await stack.product('35.00', { supplierSku: 'their-own-name' });
    const { order_number } = await completed({ items: [{ sku }] });
    expect(stack.supplier.about(order_number)[0]?.body).toStrictEqual({
      reference: `${order_number}.1.1`,
      sku: 'their-own-name',
      user_id: 'player-1',
      server_id: null,
      character_id: null,
    });
  });

  it('has the recipient as the merchant wrote it', async () => {
    const sku = await stack.product();
    const recipient = { user_id: 'ผู้เล่น 😀', server_id: ' 2001', character_id: '"Knight"' };
    const { order_number } = await completed({ ...recipient, items: [{ sku }] });
    expect(stack.supplier.about(order_number)[0]?.body).toMatchObject(recipient);
  });

  it('keeps the path of the base URL', async () => {
    await stack.addSupplier('below', `${stack.supplier.url}/api/`);
    const sku = await stack.product('35.00', { supplier: 'below' });
    const { order_number } = await completed({ items: [{ sku }] });
    expect(stack.supplier.about(order_number)).toHaveLength(1);
  });

  it('has the supplier’s token as bearer, in sends and inquiries, and no such header without a token', async () => {
    await stack.addSupplier('trusted', stack.supplier.url, 10_000, 'a-secret-token');
    const user = unique('player');
    stack.supplier.script(user, ({ kind, reference }) => (kind === 'send' ? 'drop' : bought(reference)));
    const [trusted, plain] = [await stack.product('35.00', { supplier: 'trusted' }), await stack.product()];
    const order = await completed({ user_id: user, items: [{ sku: trusted }, { sku: plain }] });
    const seen = stack.supplier
      .about(order.order_number)
      .map(({ kind, reference, authorization }) => `${reference.split('.')[1]} ${kind} ${authorization ?? 'none'}`);
    expect(seen.sort()).toEqual([
      '1 inquiry Bearer a-secret-token',
      '1 send Bearer a-secret-token',
      '2 inquiry none',
      '2 send none',
    ]);
  });

  it('uses a token that the database does not store as plain text', async () => {
    await stack.addSupplier('sealed', stack.supplier.url, 10_000, 'a-very-secret-token');
    const rows = await stack.sql<{ text: string }>('SELECT s::text AS text FROM suppliers s');
    for (const { text } of rows) {
      expect(text).not.toContain('a-very-secret-token');
      expect(text).not.toContain(Buffer.from('a-very-secret-token').toString('hex'));
    }
  });
});

describe('7 supplier set: applies within 5 s without a restart', () => {
  it('another base URL', async () => {
    const other = await new FakeSupplier().listen();
    try {
      await stack.addSupplier('moving', stack.supplier.url);
      const sku = await stack.product('35.00', { supplier: 'moving' });
      const before = await completed({ items: [{ sku }] });
      await stack.addSupplier('moving', other.url);
      const after = await completed({ items: [{ sku }] });
      expect(stack.supplier.about(before.order_number)).toHaveLength(1);
      expect(stack.supplier.about(after.order_number)).toHaveLength(0);
      expect(other.about(after.order_number)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  it('another token, or none; without the option, the token stays', async () => {
    const set = (token?: string | null): Promise<unknown> =>
      stack.api.get(SuppliersService).set({
        code: 'rotating',
        adapter: 'http',
        baseUrl: stack.supplier.url,
        credentials: token === undefined ? {} : { token },
      });
    const authorization = async (): Promise<string | undefined> => {
      const { order_number } = await completed({ items: [{ sku }] });
      return stack.supplier.about(order_number)[0]?.authorization;
    };
    await set('first');
    const sku = await stack.product('35.00', { supplier: 'rotating' });
    expect(await authorization()).toBe('Bearer first');
    await set('second');
    expect(await authorization()).toBe('Bearer second');
    await set();
    expect(await authorization()).toBe('Bearer second');
    await set(null);
    expect(await authorization()).toBeUndefined();
  });

  it('another credential beside a sealed one', async () => {
    await stack.addSupplier('several', stack.supplier.url);
    const sku = await stack.product('35.00', { supplier: 'several' });
    // The http adapter takes no second credential, but its token from wherever it is.
    const text = JSON.stringify({ token: 'from-the-object', key: 'k' });
    const sealed = stack.api.get(SecretBox).seal(text, supplierPlace('credentials_sealed', 'several'));
    await stack.sql(`UPDATE suppliers SET credentials_sealed = $1 WHERE code = 'several'`, [sealed]);
    const { order_number } = await completed({ items: [{ sku }] });
    expect(stack.supplier.about(order_number)[0]?.authorization).toBe('Bearer from-the-object');
  });

  it('another timeout', async () => {
    await stack.addSupplier('hasty', stack.supplier.url, 5_000);
    const sku = await stack.product('35.00', { supplier: 'hasty' });
    const user = unique('player');
    const inquired = deferred<void>();
    let whenAnswered = (): Promise<void> => inquired.promise;
    stack.supplier.script(user, async ({ kind, reference }) => {
      if (kind === 'send') await whenAnswered();
      else inquired.resolve();
      return bought(reference);
    });
    const kinds = async (): Promise<string[]> => {
      const { order_number } = await completed({ user_id: user, items: [{ sku }] });
      return stack.supplier.about(order_number).map(({ kind }) => kind);
    };
    const [send, ...inquiries] = await kinds();
    expect([send, new Set(inquiries)]).toEqual(['send', new Set(['inquiry'])]);
    await stack.addSupplier('hasty', stack.supplier.url, 120_000);
    // After the one timeout, and long before the other.
    whenAnswered = () => delay(6_000);
    expect(await kinds()).toEqual(['send']);
  });
});
