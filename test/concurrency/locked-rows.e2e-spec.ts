import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import type { Answer as ApiAnswer, Client } from '../support/http.js';
import { whileLocked } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const OTHERS = 12;

let stack: TestStack;
let receiver: WebhookReceiver;
let held: TestMerchant;
let others: TestMerchant[];
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start();
  receiver = await new WebhookReceiver().listen();
  sku = await stack.product('35.00');
  held = await stack.merchant('10000.00');
  others = await Promise.all(Array.from({ length: OTHERS }, () => stack.merchant('10000.00')));
});

afterAll(() => closeWithBalancedBooks(stack, receiver));

const walletOf = ({ id }: TestMerchant): string => `SELECT FROM wallets WHERE merchant_id = ${id} FOR UPDATE`;

const place = (client: Client): Promise<ApiAnswer<OrderBody>> =>
  client.post<OrderBody>('/v1/orders', { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] });

describe('a wallet that another transaction keeps locked', () => {
  it('delays only its own orders: all others are placed meanwhile', async () => {
    const blocked = await whileLocked(stack, walletOf(held), async () => {
      const waiting: Promise<ApiAnswer<OrderBody>>[] = [];
      for (let round = 0; round < 5; round++) {
        waiting.push(place(held.client.once), place(held.client.once));
        const answers = await Promise.all(others.map(({ client }) => place(client)));
        expect(answers.map(({ status }) => status)).toEqual(others.map(() => 200));
      }
      return waiting;
    });
    // The order is placed after the lock ended, or refused if that took longer than a client waits.
    const statuses = (await Promise.all(blocked)).map(({ status }) => status);
    for (const status of statuses) expect([200, 503]).toContain(status);
    expect((await place(held.client)).status).toBe(200);
  });

  it('makes the service answer its own orders with 503, and charge nothing for them', async () => {
    const refused = async (): Promise<{ orders: unknown[]; available: string }> => {
      const merchant = await stack.merchant('100.00');
      const answer = await whileLocked(stack, walletOf(merchant), () => place(merchant.client.once));
      expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
      const { available } = await stack.wallet(merchant);
      const orders = (await merchant.client.get<{ data: unknown[] }>('/v1/orders')).body.data;
      return { orders, available };
    };
    // Repeated if the machine was so slow that the answer came during the order's transaction, which may then succeed all the same.
    const { available } = await eventually(refused, ({ orders }) => orders.length === 0);
    expect(available).toBe('100.00');
  });

  it('delays the end of its own orders only', async () => {
    const asked = new Set<string>();
    const open = deferred<void>();
    const user = unique('player');
    // On a slow machine a call may time out, and another about the same unit follows: then all of them get the answer.
    stack.supplier.script(user, async ({ reference }) => {
      asked.add(reference);
      await open.promise;
      return bought(reference);
    });
    const mine = await stack.order(held, [{ sku }], user);
    const theirs = await Promise.all(others.map((merchant) => stack.order(merchant, [{ sku }], user)));
    await eventually(
      () => asked.size,
      (size) => size === OTHERS + 1,
    );
    await whileLocked(stack, walletOf(held), async () => {
      open.resolve();
      for (const [index, order] of theirs.entries())
        await stack.orderWith(others[index] as TestMerchant, order.reference_id, 'completed');
      const { body } = await held.client.get<OrderBody>(`/v1/orders/${mine.reference_id}`);
      expect(body.status).toBe('processing');
    });
    await stack.orderWith(held, mine.reference_id, 'completed');
  });
});

describe('a definite refusal that can’t be recorded because of a lock', () => {
  /** When the claim of an order's only unit ends, in milliseconds. */
  async function leaseEndOf({ order_number }: OrderBody): Promise<number> {
    const [unit] = await stack.sql<{ next_action_at: Date | null }>(
      `SELECT next_action_at FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order_number],
    );
    return unit?.next_action_at?.getTime() ?? 0;
  }

  it('is kept for longer than its lease, and then recorded, without another call', async () => {
    const [user, supplier] = [unique('player'), unique('supplier')];
    await stack.addSupplier(supplier, stack.supplier.url, 15_000);
    const refusal = deferred<Answer>();
    // The supplier does not know a unit that it refused.
    stack.supplier.script(user, ({ kind }) => (kind === 'inquiry' ? neverSeen : refusal.promise));
    const order = await stack.order(held, [{ sku: await stack.product('35.00', { supplier }) }], user);
    await eventually(
      () => stack.supplier.about(order.order_number),
      ({ length }) => length === 1,
    );
    const leaseEnd = await leaseEndOf(order);
    await whileLocked(stack, walletOf(held), async () => {
      refusal.resolve({ status: 422, body: { failure_code: 'OUT_OF_STOCK' } });
      await eventually(
        () => leaseEndOf(order),
        (renewed) => renewed > leaseEnd + 5_000,
      );
    });
    await stack.orderWith(held, order.reference_id, 'failed');
    expect(stack.supplier.about(order.order_number).map(({ kind }) => kind)).toEqual(['send']);
  });
});

describe('a table that another session has locked as a whole', () => {
  it('is answered with 503 and Retry-After, not with silence', async () => {
    const answers = await whileLocked(stack, 'LOCK TABLE orders IN ACCESS EXCLUSIVE MODE', () =>
      Promise.all(others.map(({ client }) => place(client.once))),
    );
    for (const { status } of answers) expect(status).toBe(503);
    expect((await place(held.client)).status).toBe(200);
  });
});
