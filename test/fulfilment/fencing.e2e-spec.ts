import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { AttemptsRepository } from '../../src/fulfilment/attempts.repository.js';
import { FailoverService } from '../../src/fulfilment/failover.service.js';
import { OrderSettlementService, type SettleUnit } from '../../src/orders/order-settlement.service.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer, type Script } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';

/** The timeout of a call. A call lasts until the test ends it. */
const PATIENT_MS = 120_000;

let stack: TestStack;
let merchant: TestMerchant;
let sku: string;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  const logTo = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  stack = await TestStack.start({ LOG_LEVEL: 'warn' }, { worker: false, logTo });
  await stack.addSupplier('fake', stack.supplier.url, PATIENT_MS);
  merchant = await stack.merchant('100000.00');
  sku = await stack.product('35.00');
});

afterEach(() => stack.stopWorkers());

afterAll(() => closeWithBalancedBooks(stack));

/** Refuses a request in a way that leaves no trace at the supplier. */
const notRecorded: Answer = { status: 422, body: { failure_code: 'OUT_OF_STOCK' } };

/** Answers to the first `count` sends, each when the test gives it. */
function answersAtWill(count: number): {
  script: Script;
  sends: () => number;
  give: (send: number, answer: Answer) => void;
} {
  const promises = Array.from({ length: count }, () => deferred<Answer>());
  let sends = 0;
  return {
    script: ({ kind }) => (kind === 'inquiry' ? neverSeen : (promises[sends++]?.promise ?? 'hang')),
    sends: () => sends,
    give: (send, answer) => promises[send - 1]?.resolve(answer),
  };
}

/** The only unit of an order. */
async function unitOf({ order_number }: OrderBody): Promise<{ state: string; claim: number; order_id: bigint }> {
  const [unit] = await stack.sql<{ state: string; claim: number; order_id: bigint }>(
    `SELECT u.state, u.claim, u.order_id FROM order_units u JOIN orders o ON o.id = u.order_id
     WHERE o.order_number = $1`,
    [order_number],
  );
  if (!unit) throw new Error(`order ${order_number} has no unit`);
  return unit;
}

/** Ends leases and quiet periods, as a jump of PostgreSQL's clock would. */
const makeTimePass = ({ order_number }: OrderBody): Promise<object[]> =>
  stack.sql(
    `UPDATE order_units SET next_action_at = now() - interval '1 s', last_sent_at = now() - interval '1 h'
     WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
    [order_number],
  );

interface Case {
  kind: string;
  status: string;
  supplier_reference: string | null;
}

const casesOf = ({ order_number }: OrderBody): Promise<Case[]> =>
  stack.sql<Case>(
    `SELECT r.kind, r.status, r.supplier_reference FROM supplier_reversals r JOIN orders o ON o.id = r.order_id
     WHERE o.order_number = $1`,
    [order_number],
  );

const logged = ({ order_number }: OrderBody, message: RegExp): Record<string, unknown>[] =>
  lines.filter((line) => line.orderNumber === order_number && message.test(String(line.msg)));

describe('8.3 A refusal settles only the claim that it answers', () => {
  it('so a late refusal of an older send does not refund a unit that another worker is buying', async () => {
    const user = unique('player');
    const supplier = answersAtWill(2);
    stack.supplier.script(user, supplier.script);
    await stack.startWorker();
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(supplier.sends, (sends) => sends === 1);
    await makeTimePass(order);
    await stack.startWorker();
    await eventually(supplier.sends, (sends) => sends === 2);

    supplier.give(1, notRecorded);
    await eventually(
      () => logged(order, /about an older call/),
      ({ length }) => length === 1,
    );
    expect((await unitOf(order)).state).toBe('sending');

    const { order_number } = order;
    supplier.give(2, bought(`${order_number}.1.1`));
    const ended = await stack.orderWith(merchant, order.reference_id, 'completed', 'failed');
    expect(ended.status).toBe('completed');
    expect(await casesOf(order)).toEqual([]);
  });

  it('but a success settles the unit, whichever send it answers', async () => {
    const user = unique('player');
    const supplier = answersAtWill(2);
    stack.supplier.script(user, supplier.script);
    await stack.startWorker();
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(supplier.sends, (sends) => sends === 1);
    await makeTimePass(order);
    await stack.startWorker();
    await eventually(supplier.sends, (sends) => sends === 2);

    supplier.give(1, bought(`${order.order_number}.1.1`));
    await stack.orderWith(merchant, order.reference_id, 'completed');
    supplier.give(2, bought(`${order.order_number}.1.1`));
    await stack.stopWorkers();
    expect(await casesOf(order)).toEqual([]);
  });

  it('and of several answers in one batch, that of the latest claim decides', async () => {
    const order = await stack.order(merchant, [{ sku }], 'nobody');
    const { order_id } = await unitOf(order);
    await stack.sql(
      `UPDATE order_units SET state = 'sending', next_action = 'inquire', claim = 7 WHERE order_id = $1`,
      [order_id],
    );
    const answer = (claim: number, outcome: SettleUnit['outcome']): Promise<string> =>
      stack.api.get(OrderSettlementService).settle({
        key: { orderId: order_id, item: 1, unit: 1 },
        merchantId: merchant.id,
        by: { kind: 'call', attempt: 0, claim },
        outcome,
        calls: [],
      });
    const said = await Promise.all([
      answer(5, { kind: 'failed', code: 'OUT_OF_STOCK', message: 'old' }),
      answer(7, { kind: 'failed', code: 'INVALID_PLAYER', message: 'new' }),
      answer(6, { kind: 'failed', code: 'OUT_OF_STOCK', message: 'old, too' }),
    ]);
    expect(said).toEqual(['settled_before', 'settled', 'settled_before']);
    const ended = await stack.orderWith(merchant, order.reference_id, 'failed');
    expect(ended.failure_code).toBe('INVALID_PLAYER');
  });

  it('and of a success and a callback’s refusal in one batch, the success decides in either order', async () => {
    for (const isFirst of [true, false]) {
      const order = await stack.order(merchant, [{ sku }], 'nobody');
      const { order_id } = await unitOf(order);
      await stack.sql(
        `UPDATE order_units SET state = 'unknown', unknown_since = now(), next_action = 'inquire' WHERE order_id = $1`,
        [order_id],
      );
      const answer = (outcome: SettleUnit['outcome']): Promise<string> =>
        stack.api.get(OrderSettlementService).settle({
          key: { orderId: order_id, item: 1, unit: 1 },
          merchantId: merchant.id,
          by: { kind: 'report', attempt: 0 },
          outcome,
          calls: [],
        });
      const outcomes: SettleUnit['outcome'][] = [
        { kind: 'failed', code: 'OUT_OF_STOCK', message: 'said the callback' },
        { kind: 'succeeded', supplierReference: 'S-both' },
      ];
      if (!isFirst) outcomes.reverse();
      const said = await Promise.all(outcomes.map(answer));
      expect(said).toEqual(isFirst ? ['reversal', 'settled'] : ['settled', 'reversal']);
      await stack.orderWith(merchant, order.reference_id, 'completed');
      await stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE order_id = $1`, [
        order_id,
      ]);
    }
  });

  /** An order whose second attempt is in flight. @returns it, and a function that settles its unit. */
  async function atSecondAttempt() {
    const order = await stack.order(merchant, [{ sku }], 'nobody');
    const { order_id } = await unitOf(order);
    await stack.sql(
      `INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, ended_as, ended_at, created_at)
       SELECT u.order_id, u.item, u.unit, n, u.supplier_id, 'X', $2 || '.' || n,
              CASE n WHEN 1 THEN 'failed' END, CASE n WHEN 1 THEN now() END, now()
       FROM order_units u, generate_series(1, 2) n WHERE u.order_id = $1`,
      [order_id, order.order_number],
    );
    await stack.sql(
      `UPDATE order_units SET state = 'sending', next_action = 'inquire', attempt = 2, claim = 7, attempt_claim = 7
       WHERE order_id = $1`,
      [order_id],
    );
    const settle = (by: SettleUnit['by'], outcome: SettleUnit['outcome'], isRepeated = false): Promise<string> =>
      stack.api.get(OrderSettlementService).settle({
        key: { orderId: order_id, item: 1, unit: 1 },
        merchantId: merchant.id,
        by,
        outcome,
        isRepeated,
        calls: [],
      } as SettleUnit);
    const closeCases = (): Promise<object[]> =>
      stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE order_id = $1`, [order_id]);
    return { order, settle, closeCases };
  }

  const IN_FLIGHT = { kind: 'call', attempt: 2, claim: 7 } as const;
  const REFUSED = { kind: 'failed', code: 'OUT_OF_STOCK', message: 'refused' } as const;
  const SOLD_LATE = { kind: 'succeeded', supplierReference: 'S-late' } as const;

  it.each([
    ['reports', false],
    // The service may have stored an earlier callback, but not applied it.
    ['repeats', true],
  ])(
    'and a refusal does not refund a unit while its batch %s that an earlier attempt bought it',
    async (_how, isRepeated) => {
      const { order, settle, closeCases } = await atSecondAttempt();
      const before = await stack.wallet(merchant);
      const report = { kind: 'report', attempt: 1 } as const;

      const said = await Promise.all([settle(IN_FLIGHT, REFUSED), settle(report, SOLD_LATE, isRepeated)]);

      expect(said).toEqual(['review', 'reversal']);
      expect((await unitOf(order)).state).toBe('review');
      expect(await stack.wallet(merchant)).toEqual(before);
      expect(await casesOf(order)).toEqual([{ kind: 'bought_late', status: 'open', supplier_reference: 'S-late' }]);
      expect(await settle({ kind: 'operator' }, SOLD_LATE)).toBe('settled');
      await stack.orderWith(merchant, order.reference_id, 'completed');
      await closeCases();
    },
  );

  it('and late answers about different sends open a discrepancy each, if the supplier may have sold each send', async () => {
    const { order, settle, closeCases } = await atSecondAttempt();
    const source = { attempt: 1, isAboutOneSend: true } as const;
    expect(await settle({ ...source, kind: 'report' }, SOLD_LATE)).toBe('reversal');
    const other = { ...SOLD_LATE, supplierReference: 'S-other' };
    expect(await settle({ ...source, kind: 'call', claim: 1 }, other)).toBe('reversal');
    const names = (await casesOf(order)).map(({ supplier_reference: name }) => name ?? '');
    expect(names.sort()).toEqual(['S-late', 'S-other']);
    await settle(IN_FLIGHT, { kind: 'succeeded', supplierReference: null });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await closeCases();
  });

  it('and a discrepancy without a reference counts for only one of two such answers in a batch', async () => {
    const { order, settle, closeCases } = await atSecondAttempt();
    const report = { kind: 'report', attempt: 1, isAboutOneSend: true } as const;
    expect(await settle(report, { ...SOLD_LATE, supplierReference: null })).toBe('reversal');
    const names = ['S-1', 'S-2'];
    const said = await Promise.all(
      names.map((supplierReference) => settle(report, { ...SOLD_LATE, supplierReference })),
    );
    expect(said).toEqual(['superseded', 'reversal']);
    expect((await casesOf(order)).map(({ supplier_reference: name }) => name ?? '').sort()).toEqual(names);
    await settle(IN_FLIGHT, { kind: 'succeeded', supplierReference: null });
    await stack.orderWith(merchant, order.reference_id, 'completed');
    await closeCases();
  });

  it('and a cancellation ends only the attempt that its sender saw', async () => {
    const order = await stack.order(merchant, [{ sku }], 'nobody');
    const { order_id } = await unitOf(order);
    const cancel = (seenAttempt: number): Promise<string> =>
      stack.api.get(OrderSettlementService).settle({
        key: { orderId: order_id, item: 1, unit: 1 },
        merchantId: merchant.id,
        by: { kind: 'cancellation', seenAttempt },
        outcome: { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: 'it waited for too long' },
      });
    expect(await cancel(2)).toBe('settled_before');
    expect(await cancel(1)).toBe('settled');
    await stack.orderWith(merchant, order.reference_id, 'failed');
  });

  it('and a unit that one worker moves from a paused supplier to another is not failed by a second worker', async () => {
    const [paused, other] = [unique('paused'), unique('other')];
    for (const code of [paused, other]) await stack.addSupplier(code, stack.supplier.url);
    const twoOffers = await stack.product('35.00', { supplier: paused });
    await stack.sql(
      `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority)
       SELECT p.id, s.id, 'X', 2 FROM products p, suppliers s WHERE p.sku = $1 AND s.code = $2`,
      [twoOffers, other],
    );
    const order = await stack.order(merchant, [{ sku: twoOffers }], unique('player'));
    await stack.sql(
      `UPDATE suppliers SET pause_reason = 'deposit', paused_at = now() - interval '1 hour' WHERE code = $1`,
      [paused],
    );
    await stack.sql(`UPDATE orders SET created_at = created_at - interval '1 hour' WHERE order_number = $1`, [
      order.order_number,
    ]);
    // Both workers have this list. The second one comes too late to move the unit.
    const [unit] = await stack.api.get(AttemptsRepository).listPaused(500, false);
    expect(unit).toMatchObject({ order_number: order.order_number, is_overdue: true });
    const { attempt = -1 } = unit ?? {};
    const { order_id: orderId } = await unitOf(order);
    const key = { orderId, item: 1, unit: 1 };
    const ended = { key, attempt, claim: null, refusal: null, calls: [] };
    const begun = await stack.api.get(FailoverService).begin(ended);
    expect(begun).toMatchObject({ supplier: other });
    expect(await stack.api.get(FailoverService).begin(ended)).toBeNull();
    const settled = await stack.api.get(OrderSettlementService).settle({
      key,
      merchantId: merchant.id,
      by: { kind: 'cancellation', seenAttempt: attempt },
      outcome: { kind: 'failed', code: 'SUPPLIER_UNAVAILABLE', message: 'it waited for too long' },
    });
    expect(settled).toBe('settled_before');

    await stack.startWorker();
    await stack.orderWith(merchant, order.reference_id, 'completed');
  });
});

describe('8.4 A definite answer that contradicts a settled unit opens a discrepancy', () => {
  /** Settles a unit by an inquiry, before the answer to its send arrives. */
  async function settledByInquiry(
    answer: (reference: string) => Answer,
  ): Promise<{ order: OrderBody; say: (late: Answer) => void }> {
    const user = unique('player');
    const late = deferred<Answer>();
    let sent = false;
    stack.supplier.script(user, ({ kind, reference }) => {
      sent ||= kind === 'send';
      return kind === 'send' ? late.promise : answer(reference);
    });
    await stack.startWorker();
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => sent,
      (is) => is,
    );
    await makeTimePass(order);
    await stack.startWorker();
    await stack.orderWith(merchant, order.reference_id, 'completed', 'failed');
    return { order, say: late.resolve };
  }

  const failedAnswer = (reference: string): Answer => ({
    status: 200,
    body: { reference, status: 'failed', failure_code: 'OUT_OF_STOCK' },
  });

  it.each([
    ['bought_late', failedAnswer, bought],
    ['taken_back', bought, failedAnswer],
    [
      'unknown_purchase',
      bought,
      (reference: string): Answer => ({
        status: 200,
        body: { reference, status: 'succeeded', supplier_reference: 'S-other' },
      }),
    ],
  ] as const)('%s', async (kind, first, second) => {
    const { order, say } = await settledByInquiry(first);
    const before = (await merchant.client.get<OrderBody>(`/v1/orders/${order.reference_id}`)).body;
    const wallet = await stack.wallet(merchant);
    say(second(`${order.order_number}.1.1`));
    const found = await eventually(
      () => casesOf(order),
      ({ length }) => length > 0,
    );
    expect(found).toEqual([
      {
        kind,
        status: 'open',
        supplier_reference:
          kind === 'taken_back' ? null : kind === 'unknown_purchase' ? 'S-other' : `S-${order.order_number}.1.1`,
      },
    ]);
    await stack.stopWorkers();
    expect(logged(order, /contradicts/)).toEqual([expect.objectContaining({ level: 'error' })]);
    expect((await merchant.client.get<OrderBody>(`/v1/orders/${order.reference_id}`)).body).toEqual(before);
    expect(await stack.wallet(merchant)).toEqual(wallet);
  });
});
