import type { INestApplicationContext } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnitDispatcher } from '../../src/fulfilment/unit-dispatcher.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { bought, refused, type Answer } from '../support/fake-supplier.js';
import { untilWaiting, whileLocked } from '../support/locks.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

/** The timeout of a call. A call lasts until the test ends it. */
const PATIENT_MS = 120_000;

let stack: TestStack;
let worker: INestApplicationContext;
let merchant: TestMerchant;
let sku: string;

beforeAll(async () => {
  stack = await TestStack.start({ SUPPLIER_MAX_IN_FLIGHT: '1' }, { worker: false });
  await stack.addSupplier('fake', stack.supplier.url, PATIENT_MS);
  worker = await stack.startWorker();
  merchant = await stack.merchant();
  sku = await stack.product('35.00');
});

afterAll(() => closeWithBalancedBooks(stack));

const sends = ({ order_number }: OrderBody): number => stack.supplier.about(order_number).length;

const sent = (order: OrderBody): Promise<number> =>
  eventually(
    () => sends(order),
    (count) => count > 0,
  );

/** Waits until a connection waits for a lock. */
const isBlocked = (): Promise<object[]> => untilWaiting(stack);

/**
 * Two orders at a supplier that may have one call. The first gets the answer, which can't be recorded while its unit is locked.
 * @param meanwhile runs during that time.
 */
async function whileUnrecorded(
  answer: (reference: string) => Answer,
  meanwhile: (second: OrderBody) => Promise<unknown>,
): Promise<{ first: OrderBody; second: OrderBody }> {
  const user = unique('player');
  const answered = deferred<void>();
  stack.supplier.script(user, async ({ reference }, earlier) => {
    if (earlier.length > 0) return bought(reference);
    await answered.promise;
    return answer(reference);
  });
  const first = await stack.order(merchant, [{ sku }], user);
  await sent(first);
  const second = await stack.order(merchant, [{ sku }]);
  const unit = `SELECT FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = '${first.order_number}')`;
  await whileLocked(stack, `${unit} FOR UPDATE`, async () => {
    answered.resolve();
    await isBlocked();
    await meanwhile(second);
  });
  return { first, second };
}

/** The supplier's slot is neither free nor given to this order's unit. */
async function getsNothing({ order_number }: OrderBody): Promise<void> {
  const of = `FROM order_units WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`;
  const [unit] = await stack.sql<{ supplier_id: number }>(`SELECT supplier_id ${of}`, [order_number]);
  const suppliers = [unit?.supplier_id ?? NaN];
  expect(worker.get(UnitDispatcher).work.wakeFree(suppliers)).toEqual(suppliers);
  expect(await stack.sql(`SELECT claim ${of}`, [order_number])).toEqual([{ claim: 0 }]);
}

async function areBought(...orders: OrderBody[]): Promise<void> {
  for (const order of orders)
    await eventually(
      async () => {
        await makeDue(stack, order);
        return (await merchant.client.get<OrderBody>(`/v1/orders/${order.reference_id}`)).body.status;
      },
      (status) => status === 'completed',
    );
}

describe('While an answer of a supplier is not recorded yet', () => {
  it.each<[what: string, answer: Answer]>([
    ['leaves a purchase in doubt', { status: 500 }],
    ['says that it is busy', { status: 429 }],
  ])('its slot stays taken if the answer %s', async (_what, answer) => {
    const { first, second } = await whileUnrecorded(() => answer, getsNothing);
    await areBought(first, second);
  });

  it('another unit is sent if the answer settles the first', async () => {
    const refusal = (reference: string): Answer => refused(reference, 'OUT_OF_STOCK');
    const { first, second } = await whileUnrecorded(refusal, sent);
    await stack.orderWith(merchant, first.reference_id, 'failed');
    await areBought(second);
  });
});
