import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters, WEBHOOK_SECRET } from '../support/calling-supplier.js';
import { makeDue } from '../support/due.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, refused, type Answer } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { CallbackScene } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  // A unit whose offer is off does not wait.
  scene = await CallbackScene.start({ ROUTING_HOLD_LIMIT_MS: '0' });
  await scene.set('repeating', 'repeating', { webhook_secret: WEBHOOK_SECRET });
  await scene.set('reselling', 'reselling', { webhook_secret: WEBHOOK_SECRET });
  await scene.set('reselling-unsigned', 'reselling');
});

afterAll(() => closeWithBalancedBooks(scene.stack));

const isOf = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';

/**
 * An order of one unit that another supplier sells too. The answers to its calls come in this order; after them, the supplier has
 * sold the unit.
 */
async function orderAt(supplier: string, ...answers: (Answer | Promise<Answer>)[]): Promise<OrderBody> {
  const { stack, merchant } = scene;
  const sku = await stack.product('35.00', { supplier });
  await stack.api.get(OffersService).set({ sku, supplier: 'fake', supplierSku: 'X', priority: 1_000 });
  const user = unique('player');
  stack.supplier.script(user, ({ reference }, earlier) => answers[earlier.length] ?? bought(reference));
  const order = await stack.order(merchant, [{ sku }], user);
  await eventually(
    () => stack.supplier.about(order.order_number),
    ({ length }) => length === answers.length,
  );
  return order;
}

/** The supplier proves that it has the purchase. @param supplierReference its own reference of it. */
async function prove(supplier: string, { order_number }: OrderBody, supplierReference?: string): Promise<void> {
  const outcome = { kind: 'processing' };
  await scene.call(supplier, { kind: 'about', reference: `${order_number}.1.1`, supplierReference, outcome });
}

/** Waits until the answer to a send is recorded. */
const recorded = ({ order_number }: OrderBody, outcome: string): Promise<object[]> =>
  eventually(
    () => scene.stack.sql(`SELECT FROM supplier_calls WHERE ${isOf} AND outcome = $2`, [order_number, outcome]),
    ({ length }) => length > 0,
  );

/** Makes the next inquiry about a unit in doubt due. */
const inquireNow = ({ order_number }: OrderBody): Promise<object[]> =>
  scene.stack.sql(`UPDATE order_units SET next_action_at = now() WHERE ${isOf} AND state = 'unknown'`, [order_number]);

/** Expects that the order completes, and that its only attempt bought it. */
async function expectBoughtByFirstAttempt(order: OrderBody): Promise<void> {
  await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed', 'failed');
  const attempts = await scene.stack.sql(
    `SELECT a.number, u.state FROM unit_attempts a JOIN order_units u USING (order_id, item, unit) WHERE a.${isOf}`,
    [order.order_number],
  );
  expect(attempts).toEqual([{ number: 1, state: 'succeeded' }]);
}

describe.each(['signing', 'repeating'])(
  'a callback of the supplier %s that proves a purchase during a send',
  (code) => {
    it('leaves the unit in doubt when that send is refused, because it proves an earlier send', async () => {
      const answer = deferred<Answer>();
      const order = await orderAt(code, { status: 429 }, answer.promise);
      await prove(code, order);
      answer.resolve(refused(`${order.order_number}.1.1`, 'OUT_OF_STOCK'));
      await recorded(order, 'failed');
      await inquireNow(order);
      await expectBoughtByFirstAttempt(order);
    });

    it('leaves the unit in doubt when its only send is not accepted', async () => {
      const answer = deferred<Answer>();
      const order = await orderAt(code, answer.promise);
      await prove(code, order);
      answer.resolve({ status: 401 });
      await recorded(order, 'not_accepted');
      await expectBoughtByFirstAttempt(order);
    });

    it('leaves the unit in doubt when its only send is not accepted, because its offer is not set up', async () => {
      // By rounding, a new send may look as if it began a moment later. Then its unit would wait in any case.
      for (const _order of [1, 2, 3, 4, 5, 6]) {
        const answer = deferred<Answer>();
        const order = await orderAt(code, answer.promise);
        await prove(code, order);
        answer.resolve({ status: 403 });
        await eventually(
          () => scene.stack.sql(`SELECT FROM order_units WHERE ${isOf} AND claimed_by IS NULL`, [order.order_number]),
          ({ length }) => length > 0,
        );
        await inquireNow(order);
        await expectBoughtByFirstAttempt(order);
      }
    });

    it('lets a refusal of the only send count', async () => {
      const answer = deferred<Answer>();
      const order = await orderAt(code, answer.promise);
      await prove(code, order);
      answer.resolve(refused(`${order.order_number}.1.1`, 'INVALID_PLAYER'));
      const { failure_code } = await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed', 'failed');
      expect(failure_code).toBe('INVALID_PLAYER');
    });
  },
);

describe('a callback that proves a purchase during an inquiry', () => {
  it('leaves the unit in doubt when the inquiry finds a refused purchase, because another send may have bought it', async () => {
    const answer = deferred<Answer>();
    const order = await orderAt('signing', { status: 429 }, 'drop', answer.promise);
    await prove('signing', order);
    answer.resolve(refused(`${order.order_number}.1.1`, 'OUT_OF_STOCK'));
    await recorded(order, 'failed');
    await inquireNow(order);
    await expectBoughtByFirstAttempt(order);
  });

  it.each([
    ['is not sent again once the callback proves the supplier’s reference', 'reselling', 'inquiry'],
    ['is sent again if the callback only claims that reference', 'reselling-unsigned', 'send'],
    ['is sent again where the supplier deduplicates', 'signing', 'send'],
  ])('a unit that the inquiry does not find %s', async (_what, code, next) => {
    const answer = deferred<Answer>();
    const order = await orderAt(code, 'drop', answer.promise);
    await prove(code, order, `S-${order.order_number}`);
    await scene.stack.sql(`UPDATE order_units SET last_sent_at = last_sent_at - interval '1 hour' WHERE ${isOf}`, [
      order.order_number,
    ]);
    answer.resolve(neverSeen);
    await recorded(order, 'never_seen');
    await makeDue(scene.stack, order);
    await expectBoughtByFirstAttempt(order);
    expect(scene.stack.supplier.about(order.order_number).map(({ kind }) => kind)).toEqual(['send', 'inquiry', next]);
  });
});
