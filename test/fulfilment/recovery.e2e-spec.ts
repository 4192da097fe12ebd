import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { SchemaService } from '../../src/database/schema.service.js';
import { WorkNotifier } from '../../src/queues/work-notifier.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, refused, type Answer, type Script } from '../support/fake-supplier.js';
import { Client } from '../support/http.js';
import { emptyRedis } from '../support/redis.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_QUIET_PERIOD_MS: '1000' }, { worker: false });
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterEach(() => stack.stopWorkers());

afterAll(() => closeWithBalancedBooks(stack));

/** A player of one test, with the supplier's answers about this player's units. */
function userOf(script: Script): string {
  const user = unique('player');
  stack.supplier.script(user, script);
  return user;
}

const sells: Script = ({ reference }) => bought(reference);

const answers =
  (send: (reference: string) => Answer, inquiry: (reference: string) => Answer): Script =>
  ({ kind, reference }) =>
    (kind === 'send' ? send : inquiry)(reference);

const order = (userId: string, quantity = 1): Promise<OrderBody> => stack.order(merchant, [{ sku, quantity }], userId);

const ended = ({ reference_id }: OrderBody): Promise<OrderBody> =>
  stack.orderWith(merchant, reference_id, 'completed', 'failed');

const kinds = ({ order_number }: OrderBody): string[] => stack.supplier.about(order_number).map(({ kind }) => kind);

const sends = ({ order_number }: OrderBody): string[] =>
  stack.supplier
    .about(order_number)
    .filter(({ kind }) => kind === 'send')
    .map(({ reference }) => reference);

/** Expects that every unit of the orders was sent exactly once. */
function expectEachSentOnce(orders: OrderBody[], unitsEach: number): void {
  for (const each of orders) {
    expect(sends(each).sort()).toEqual(
      Array.from({ length: unitsEach }, (_, index) => `${each.order_number}.1.${index + 1}`),
    );
  }
}

/**
 * An order as a worker leaves it that dies while it sends the units. The supplier of the test did not see that send, so every
 * send that it sees is a second one.
 */
async function leftInSending(script: Script, leaseLeftMs = -1_000): Promise<OrderBody> {
  const left = await order('player-1');
  const { order_number } = left;
  stack.supplier.script(order_number, script);
  const id = `(SELECT id FROM orders WHERE order_number = $1)`;
  await stack.sql(`UPDATE orders SET status = 'processing' WHERE order_number = $1`, [order_number]);
  await stack.sql(`UPDATE order_items SET status = 'processing' WHERE order_id = ${id}`, [order_number]);
  await stack.sql(
    `UPDATE order_units SET state = 'sending', next_action = 'inquire', claim = claim + 1, claimed_by = 'gone:1',
       sends = 1, first_sent_at = now() - interval '1 minute', last_sent_at = now() - interval '1 minute',
       next_action_at = now() + make_interval(secs => $2::int / 1000.0)
     WHERE order_id = ${id}`,
    [order_number, leaseLeftMs],
  );
  return left;
}

describe('8.3 A unit found in sending after a crash', () => {
  it('is queried, not sent again, and settled as bought', async () => {
    const left = await leftInSending(sells);
    await stack.startWorker();
    expect((await ended(left)).status).toBe('completed');
    expect(kinds(left)).toEqual(['inquiry']);
  });

  it('is queried, and refunded only once the supplier reports the refusal', async () => {
    const left = await leftInSending(({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    await stack.startWorker();
    expect((await ended(left)).failure_code).toBe('OUT_OF_STOCK');
    expect(kinds(left)).toEqual(['inquiry']);
  });

  it('is sent again, under the same reference, only after the supplier reports that it never saw the unit', async () => {
    const left = await leftInSending(answers(bought, () => neverSeen));
    await stack.startWorker();
    expect((await ended(left)).status).toBe('completed');
    // A worker that does not know the clock yet makes a second inquiry.
    expect(kinds(left).filter((kind, n, all) => kind !== all[n - 1])).toEqual(['inquiry', 'send']);
    expect(sends(left)).toEqual([`${left.order_number}.1.1`]);
  });

  it('is left alone until its lease ends, because its worker may live', async () => {
    const leaseEndsAtMs = performance.now() + 1_500;
    const left = await leftInSending(sells, 1_500);
    await stack.startWorker();
    await ended(left);
    const [first] = stack.supplier.about(left.order_number);
    expect(first?.kind).toBe('inquiry');
    expect(first?.atMs).toBeGreaterThanOrEqual(leaseEndsAtMs - 50);
  });

  it('is settled once, even if the worker that seemed dead settles it, too', async () => {
    let answerLate = (): void => {};
    const late = new Promise<void>((resolve) => (answerLate = resolve));
    const user = userOf(async ({ kind, reference }) => {
      if (kind === 'send') await late;
      return kind === 'send' ? refused(reference, 'OUT_OF_STOCK') : bought(reference);
    });
    await stack.startWorker();
    const left = await order(user);
    await eventually(
      () => sends(left),
      ({ length }) => length === 1,
    );
    await stack.sql(
      `UPDATE order_units SET next_action_at = now() - interval '1 second'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [left.order_number],
    );
    await stack.startWorker();
    const settled = await ended(left);
    answerLate();
    await stack.stopWorkers();
    expect(settled.status).toBe('completed');
    expect(await ended(left)).toEqual(settled);
    expect(kinds(left)).toEqual(['send', 'inquiry']);
  });
});

describe('2 An acknowledged order survives the loss of every process and of all of Redis', () => {
  it('placed while no worker ran, with its wake-up deleted', async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, () => order('player-1', 2)));
    await emptyRedis(stack);
    await stack.startWorker();
    for (const each of orders) expect((await ended(each)).status).toBe('completed');
    expectEachSentOnce(orders, 2);
  });

  it('placed through an API process that then ended', async () => {
    const api = await stack.startApi();
    await api.get(SchemaService).whenReady();
    const request = { reference_id: unique('order'), user_id: 'player-1', items: [{ sku }] };
    const client = new Client(stack.urlOf(api), merchant.key);
    const { status, body } = await client.post<OrderBody>('/v1/orders', request);
    await api.close();
    await emptyRedis(stack);
    expect(status).toBe(200);
    await stack.startWorker();
    expect((await ended(body)).order_number).toBe(body.order_number);
  });

  it('fulfilled while Redis is emptied again and again', async () => {
    await stack.startWorker();
    let emptying = true;
    const emptied = (async (): Promise<void> => {
      while (emptying) await emptyRedis(stack);
    })();
    const inDoubt = userOf(answers(() => 'drop', bought));
    const later = userOf(({ reference }, { length }) => (length === 0 ? { status: 429 } : bought(reference)));
    const orders = await Promise.all(
      Array.from({ length: 30 }, (_, index) => order(['player-1', inDoubt, later][index % 3] ?? '')),
    );
    for (const each of orders) expect((await ended(each)).status).toBe('completed');
    emptying = false;
    await emptied;
    orders.forEach((each, index) => expect(sends(each)).toHaveLength(index % 3 === 2 ? 2 : 1));
  });
});

describe('8.5 PostgreSQL decides who may send', () => {
  it('three workers and many wake-ups send each reference once', async () => {
    await Promise.all([stack.startWorker(), stack.startWorker(), stack.startWorker()]);
    const suppliers = (await stack.sql<{ id: number }>('SELECT id FROM suppliers')).map(({ id }) => id);
    let waking = true;
    const woken = (async (): Promise<void> => {
      while (waking) {
        stack.api.get(WorkNotifier).notifyFulfilment(suppliers);
        await delay(10);
      }
    })();
    const orders = await Promise.all(Array.from({ length: 60 }, () => order('player-1', 3)));
    for (const each of orders) expect((await ended(each)).status).toBe('completed');
    waking = false;
    await woken;
    expectEachSentOnce(orders, 3);
  });

  it('workers that stop and start hand the work over, and no reference is sent twice', async () => {
    const slow = userOf(async ({ reference }) => {
      await delay(30);
      return bought(reference);
    });
    await stack.startWorker();
    const placing = Promise.all(Array.from({ length: 40 }, () => order(slow, 3)));
    for (let i = 0; i < 3; i++) {
      const stopping = stack.stopWorkers();
      await stack.startWorker();
      await stopping;
    }
    const orders = await placing;
    for (const each of orders) expect((await ended(each)).status).toBe('completed');
    expectEachSentOnce(orders, 3);
    for (const each of orders) expect(kinds(each)).toHaveLength(3);
  });
});
