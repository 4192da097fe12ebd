import { beforeAll, describe, expect, it } from '@jest/globals';
import { checkNow, eventuallyChecked, holdChecks } from '../support/checks.js';
import { eventually } from '../support/eventually.js';
import type { OrderBody } from '../support/stack.js';
import type { Json } from '../simulators/seagm-client.js';
import { seagmScene } from './seagm-scene.js';

/** SEAGM may buy again if a request is sent again under one reference, and its answers are sometimes wrong. */
const seagm = seagmScene();

beforeAll(() => holdChecks(seagm.routing.stack));

/** A proxy answers 429 although the supplier got the request. */
const REFUSED_AND_TAKEN = { http: 429, then: [], callback: { mode: 'never' } };

const calledBack = async (order: OrderBody, set: object): Promise<unknown> =>
  seagm.vendor.sim('callbacks', { ref_id: await seagm.routing.reference(order), set });

describe('A signed callback about a unit that waits to be sent again', () => {
  it('settles the unit if the supplier bought it', async () => {
    const order = await seagm.ruled(REFUSED_AND_TAKEN);
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'queued');
    await calledBack(order, { status_code: 10_003, send_amount: 1 });
    await seagm.routing.orderWith(order, 'completed');
    expect(await seagm.calls(order)).toEqual(['recharge-orders']);
  });

  it('makes the service query the unit, and not send it again, if the supplier is still buying it', async () => {
    const order = await seagm.ruled(REFUSED_AND_TAKEN);
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'queued');
    await calledBack(order, { status_code: 10_002 });
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 2);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id: await seagm.routing.reference(order), status_code: 10_003 });
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'completed');
    expect(new Set((await seagm.calls(order)).slice(1))).toEqual(new Set(['inquiry']));
  });
});

/** The supplier's ids of its sales under an order's reference, the oldest first. */
const soldAs = async (order: OrderBody): Promise<string[]> =>
  (
    await seagm.vendor.sim<{ transactions: Json[] }[]>(`purchases?ref_id=${await seagm.routing.reference(order)}`)
  ).flatMap(({ transactions }) => transactions.map(({ trx_id }) => `${trx_id as string}`));

interface Case {
  id: number;
  kind: string;
  supplier_reference: string;
  status: string;
  has_code: boolean;
}

const cases = ({ order_number }: OrderBody): Promise<Case[]> =>
  seagm.routing.stack.sql<Case>(
    `SELECT r.id, r.kind, r.supplier_reference, r.status, r.delivered_sealed IS NOT NULL AS has_code
     FROM supplier_reversals r JOIN orders o ON o.id = r.order_id
     WHERE o.order_number = $1`,
    [order_number],
  );

/** An order that is bought by its second send: the supplier never saw the first one. */
async function boughtBySecondSend(): Promise<OrderBody> {
  const order = await seagm.ruled({ drop: true, decide: false });
  await seagm.called(order, 1);
  await seagm.routing.unitIn(order, 'unknown');
  await seagm.quiet(order);
  await seagm.routing.aMinuteLater(order);
  return seagm.routing.orderWith(order, 'completed');
}

/** Another send arrives after all. @param callback whether the supplier calls us about it. */
async function sendArrives(order: OrderBody, callback: object): Promise<void> {
  await seagm.vendor.sim('rules', { rules: [{ match: { player: order.user_id }, ...callback }] });
  await seagm.vendor.buy(await seagm.routing.reference(order), { userid: String(order.user_id) });
}

const OF_ORDER = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';

/** PostgreSQL otherwise refuses to change a unit that has ended. */
const moveLastSend = ({ order_number }: OrderBody, by: string): Promise<void> =>
  seagm.routing.stack.fill(`
    SET session_replication_role = 'replica';
    UPDATE order_units SET last_sent_at = now() + interval '${by}'
    WHERE order_id = (SELECT id FROM orders WHERE order_number = '${order_number}')`);

const checksOf = ({ order_number }: OrderBody): Promise<object[]> =>
  seagm.routing.stack.sql(`SELECT FROM attempt_checks WHERE ${OF_ORDER}`, [order_number]);

const makeCheckDue = ({ order_number }: OrderBody): Promise<object[]> =>
  seagm.routing.stack.sql(`UPDATE attempt_checks SET due_at = now() WHERE ${OF_ORDER}`, [order_number]);

/** A signed callback that decides nothing about a sold unit schedules a check. */
async function wakeCheck(order: OrderBody): Promise<void> {
  await calledBack(order, { status_code: 10_099 });
  await eventually(
    () =>
      seagm.routing.stack.sql(`SELECT FROM supplier_callbacks WHERE verdict = 'woke' AND ${OF_ORDER}`, [
        order.order_number,
      ]),
    ({ length }) => length > 0,
  );
}

/** Ends the check of another order. The worker makes one check after the other, so those before it are over then. */
async function otherCheckEnds(): Promise<void> {
  const other = await seagm.routing.orderWith(await seagm.routing.order(seagm.sku), 'completed');
  await wakeCheck(other);
  await makeCheckDue(other);
  await eventually(
    () => checksOf(other),
    ({ length }) => length === 0,
  );
}

describe('A second sale of SEAGM under one reference', () => {
  it('opens a discrepancy once the service queries the reference after the second send', async () => {
    const order = await boughtBySecondSend();
    await sendArrives(order, { callback: { mode: 'never' } });
    await checkNow(seagm.routing.stack);
    const [found] = await eventually(
      () => cases(order),
      ({ length }) => length === 1,
    );
    expect(found).toMatchObject({ kind: 'unknown_purchase', supplier_reference: (await soldAs(order))[1] });
    await eventually(
      () => seagm.routing.stack.sql('SELECT FROM attempt_checks'),
      ({ length }) => length === 0,
    );
  });

  it('opens a discrepancy even if a query because of a callback came before it', async () => {
    const { stack } = seagm.routing;
    const order = await boughtBySecondSend();
    // The quiet period after the second send lasts as long as the test needs.
    await moveLastSend(order, '1 hour');
    await wakeCheck(order);
    const before = (await seagm.calls(order)).length;
    await makeCheckDue(order);
    await seagm.called(order, before + 1);
    await otherCheckEnds();
    expect(await checksOf(order)).toHaveLength(1);
    await sendArrives(order, { callback: { mode: 'never' } });
    await moveLastSend(order, '-1 hour');
    await checkNow(stack);
    const [found] = await eventually(
      () => cases(order),
      ({ length }) => length === 1,
    );
    expect(found).toMatchObject({ kind: 'unknown_purchase', supplier_reference: (await soldAs(order))[1] });
    await eventually(
      () => checksOf(order),
      ({ length }) => length === 0,
    );
  });

  it('opens a discrepancy once the supplier reports it in a signed callback', async () => {
    const order = await seagm.routing.orderWith(await seagm.routing.order(seagm.sku), 'completed');
    await sendArrives(order, {});
    const [found] = await eventually(
      () => cases(order),
      ({ length }) => length === 1,
    );
    expect(found).toMatchObject({ kind: 'unknown_purchase', supplier_reference: (await soldAs(order))[1] });
  });

  /** An order of a card whose second sale a check has found, still without its PIN. */
  async function soldTwice(): Promise<OrderBody> {
    const sku = await seagm.codeProduct('card:901');
    const card = { match: { call: 'card-orders' } };
    const atOnce = [{ status_code: 10_003, after_ms: 0 }];
    const rules = [
      { ...card, then: atOnce },
      { ...card, then: [], callback: { mode: 'never' } },
    ];
    await seagm.vendor.sim('rules', { rules });
    const order = await seagm.routing.orderWith(await seagm.routing.order(sku), 'completed');
    const ref_id = await seagm.routing.reference(order);
    await seagm.vendor.card(ref_id);
    await wakeCheck(order);
    await eventually(
      () => checksOf(order),
      ({ length }) => length === 1,
    );
    await makeCheckDue(order);
    await eventually(
      () => cases(order),
      ({ length }) => length === 1,
    );
    await otherCheckEnds();
    expect(await checksOf(order)).toHaveLength(1);
    return order;
  }

  it('of a card is queried until its PIN has come, which the discrepancy keeps', async () => {
    const order = await soldTwice();
    await seagm.vendor.sim('settle', { ref_id: await seagm.routing.reference(order), status_code: 10_003 });
    const found = await eventuallyChecked(
      seagm.routing.stack,
      () => cases(order),
      ([each]) => each?.has_code === true,
    );
    expect(found).toMatchObject([{ kind: 'unknown_purchase', supplier_reference: (await soldAs(order))[1] }]);
  });

  it('of a card is queried no more once an operator has closed its discrepancy', async () => {
    const order = await soldTwice();
    const close = `UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE ${OF_ORDER}`;
    await seagm.routing.stack.sql(close, [order.order_number]);
    await makeCheckDue(order);
    await eventually(
      () => checksOf(order),
      ({ length }) => length === 0,
    );
  });

  it('opens a discrepancy when the answer to an inquiry names another order than the callback did', async () => {
    const order = await seagm.ruled(REFUSED_AND_TAKEN);
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'queued');
    await calledBack(order, { status_code: 10_002 });
    await seagm.routing.unitIn(order, 'unknown');
    await sendArrives(order, { callback: { mode: 'never' } });
    await seagm.routing.aMinuteLater(order);
    const [found] = await eventually(
      () => cases(order),
      ({ length }) => length === 1,
    );
    const [first, second] = await soldAs(order);
    expect(found).toMatchObject({ kind: 'unknown_purchase', supplier_reference: second, status: 'open' });
    await calledBack(order, { id: first, status_code: 10_003, send_amount: 1 });
    await seagm.routing.orderWith(order, 'completed');
    expect(await cases(order)).toHaveLength(1);
  });
});

describe('A signed refusal of one of several sends under a reference', () => {
  /** An order whose first send was taken in spite of a 429. Its second send, which has this rule, is on its way. */
  async function sentTwice(second: Json): Promise<{ order: OrderBody; first: string }> {
    const order = await seagm.ruled(REFUSED_AND_TAKEN, { then: [], callback: { mode: 'never' }, ...second });
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'queued');
    const [first = ''] = await soldAs(order);
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 2);
    return { order, first };
  }

  const refuse = (order: OrderBody, id: string): Promise<unknown> => calledBack(order, { id, status_code: 10_005 });

  const sell = async (order: OrderBody): Promise<void> => {
    await seagm.vendor.sim('settle', { ref_id: await seagm.routing.reference(order), status_code: 10_003 });
    await seagm.routing.aMinuteLater(order);
  };

  const isSending = async ({ order_number }: OrderBody): Promise<boolean> =>
    (await seagm.routing.stack.sql(`SELECT FROM order_units WHERE state = 'sending' AND ${OF_ORDER}`, [order_number]))
      .length > 0;

  it('does not end the attempt while the last send may be bought, and this purchase settles the unit', async () => {
    const { order, first } = await sentTwice({ drop: true });
    await seagm.routing.unitIn(order, 'unknown');
    await refuse(order, first);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await sell(order);
    await seagm.routing.orderWith(order, 'completed');
    expect((await seagm.routing.attempts(order))[0]?.supplier_reference).toBe((await soldAs(order))[1]);
    expect(await cases(order)).toEqual([]);
  });

  it('does not end the attempt while the last send is in flight, whose answer then counts', async () => {
    let wasInFlight = false;
    // On a slow machine the answer may come before the refusal. Then it is delayed for longer.
    for (let delay_ms = 3_000; !wasInFlight; delay_ms *= 2) {
      const { order, first } = await sentTwice({ delay_ms });
      await refuse(order, first);
      wasInFlight = await isSending(order);
      await seagm.routing.unitIn(order, 'unknown');
      await sell(order);
      await seagm.routing.orderWith(order, 'completed');
      expect(await cases(order)).toEqual([]);
    }
  });

  it('counts once an inquiry finds it again, the quiet period after the last send', async () => {
    const { order, first } = await sentTwice({ drop: true, decide: false });
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id: await seagm.routing.reference(order), status_code: 10_005 });
    await refuse(order, first);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'failed');
  });

  it('does not count earlier, because the last send may still arrive and be bought', async () => {
    const { order, first } = await sentTwice({ drop: true, decide: false });
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.vendor.sim('settle', { ref_id: await seagm.routing.reference(order), status_code: 10_005 });
    await refuse(order, first);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await sendArrives(order, { callback: { mode: 'never' } });
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    await seagm.routing.orderWith(order, 'completed');
  });
});

describe('A refusal in the answer to a later send', () => {
  const UNKNOWN_TYPE = { code: 400, info_code: 20_077 };

  async function answeredTwice(first: Json, second: Json): Promise<OrderBody> {
    const order = await seagm.ruled(
      { callback: { mode: 'never' }, ...first },
      { callback: { mode: 'never' }, ...second },
    );
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'queued');
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 2);
    return order;
  }

  it.each<[string, Json]>([
    ['an unknown type', UNKNOWN_TYPE],
    ['a failed order', { then: [], set: { status_code: 10_005 } }],
  ])('of %s does not end the attempt, and the purchase by the first send settles the unit', async (_what, second) => {
    const order = await answeredTwice(REFUSED_AND_TAKEN, second);
    await seagm.routing.unitIn(order, 'unknown');
    const [id] = await soldAs(order);
    await calledBack(order, { id, status_code: 10_003, send_amount: 1 });
    await seagm.routing.orderWith(order, 'completed');
    expect(await cases(order)).toEqual([]);
  });

  it('counts once an inquiry finds it, the quiet period after that send', async () => {
    const order = await answeredTwice({ code: 429 }, { then: [{ status_code: 10_005 }], set: { status_code: 10_005 } });
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    expect((await seagm.routing.orderWith(order, 'failed')).failure_code).toBe('SUPPLIER_REJECTED');
  });

  it('counts once an inquiry finds no purchase, the quiet period after that send, which is not repeated', async () => {
    const order = await answeredTwice({ code: 429 }, UNKNOWN_TYPE);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    expect((await seagm.routing.orderWith(order, 'failed')).failure_code).toBe('ITEM_NOT_FOUND');
    expect(await seagm.calls(order)).toEqual(['recharge-orders', 'recharge-orders', 'inquiry', 'inquiry']);
    const history = `SELECT outcome FROM supplier_calls WHERE ${OF_ORDER} ORDER BY id`;
    const outcomes = ['not_accepted', 'unknown', 'never_seen', 'never_seen'].map((outcome) => ({ outcome }));
    expect(await seagm.routing.stack.sql(history, [order.order_number])).toEqual(outcomes);
  });

  it('of an unknown type counts also if the first send got no answer: an inquiry must then find no purchase', async () => {
    const order = await seagm.ruled({ drop: true, decide: false }, UNKNOWN_TYPE);
    await seagm.called(order, 1);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    await seagm.called(order, 3);
    await seagm.routing.unitIn(order, 'unknown');
    await seagm.quiet(order);
    await seagm.routing.aMinuteLater(order);
    const ended = await seagm.routing.orderWith(order, 'failed', 'completed');
    expect(ended.failure_code).toBe('ITEM_NOT_FOUND');
    expect(await seagm.calls(order)).toEqual(['recharge-orders', 'inquiry', 'recharge-orders', 'inquiry']);
  });

  it.each([
    ['refunded', false],
    ['bought elsewhere', true],
  ])(
    'is checked later: if the unit was %s, and the first send is bought after all, a discrepancy opens',
    async (_how, isSoldElsewhere) => {
      if (isSoldElsewhere)
        await seagm.routing.stack.sql(
          `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority)
           SELECT p.id, s.id, 'X', 2 FROM products p, suppliers s WHERE p.sku = $1 AND s.code = 'fake'`,
          [seagm.sku],
        );
      // The supplier bans clients for repeated answers 429, which the tests before have caused.
      const order = await answeredTwice({ code: 1_003 }, UNKNOWN_TYPE);
      await seagm.routing.unitIn(order, 'unknown');
      await seagm.quiet(order);
      await seagm.routing.aMinuteLater(order);
      await seagm.routing.orderWith(order, isSoldElsewhere ? 'completed' : 'failed');
      await seagm.routing.stack.sql(`DELETE FROM supplier_offers WHERE supplier_sku = 'X'`);
      await sendArrives(order, { callback: { mode: 'never' } });
      // The first check may find the purchase still in progress.
      const found = await eventuallyChecked(
        seagm.routing.stack,
        () => cases(order),
        ({ length }) => length === 1,
      );
      expect(found).toMatchObject([{ kind: 'bought_late', supplier_reference: (await soldAs(order))[0] }]);
    },
  );
});
