import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { read } from '../deliveries/handed-over.js';
import type { DigiflazzClient } from '../simulators/digiflazz-client.js';
import { deferred } from '../support/deferred.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
import { bought, neverSeen, type Answer } from '../support/fake-supplier.js';
import { unique, type OrderBody } from '../support/stack.js';
import { RoutingScene } from './routing-scene.js';

interface ReversalJson {
  id: number;
  order_number: string;
  unit: string;
  supplier: string;
  kind: string;
  amount: string | null;
  currency: string | null;
  status: string;
}

let scene: RoutingScene;
let first: DigiflazzClient;
let sku: string;

beforeAll(async () => {
  scene = await RoutingScene.open({}, true);
  first = await scene.vendor('first');
  await scene.vendor('second');
  await scene.stack.addSupplier('busy', scene.stack.supplier.url);
  sku = await scene.product(
    { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
    { supplier: 'second', supplierSku: 'ff70', cost: 10_000 },
  );
});

afterAll(() => scene.close());

const reversalsOf = async ({ order_number }: OrderBody): Promise<ReversalJson[]> =>
  (await scene.commandLine.json<ReversalJson[]>('reversal', 'list')).filter(
    (reversal) => reversal.order_number === order_number,
  );

describe('A supplier’s late report that an attempt bought its unit', () => {
  it('opens a discrepancy with the cost once the unit has ended; unit, order and wallet stay as they are', async () => {
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '02' });
    const order = await scene.orderWith(await scene.order(sku, { user }), 'completed');
    const before = await scene.stack.wallet(scene.merchant);
    const [given] = await scene.attempts(order);

    await first.sim('settle', { ref_id: given?.reference ?? '', rc: '00', sn: '1' });

    const [reversal] = await eventually(
      () => reversalsOf(order),
      (found) => found.length > 0,
    );
    expect(reversal).toMatchObject({
      supplier: 'first',
      kind: 'bought_late',
      amount: '20000',
      currency: 'IDR',
    });
    expect((await scene.attempts(order)).map(({ supplier, state }) => [supplier, state])).toEqual([
      ['first', 'failed'],
      ['second', 'succeeded'],
    ]);
    expect(await scene.stack.wallet(scene.merchant)).toEqual(before);
    await scene.commandLine.json('reversal', 'close', `${reversal?.id}`, '--reason', 'refunded there', '--yes');
  });
});

describe('Such a report before the first send of the next attempt', () => {
  it('sends the unit to review, so that it is not bought twice', async () => {
    const other = await scene.product(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier: 'fake', supplierSku: 'X' },
    );
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '02' });
    scene.stack.supplier.script(user, ({ reference }, { length }) =>
      length === 0
        ? { status: 429, headers: { 'retry-after': '5' } }
        : { status: 200, body: { reference, status: 'succeeded' } },
    );
    const order = await scene.order(other, { user });
    const sent = (): number => scene.stack.supplier.about(order.order_number).length;
    await eventually(sent, (count) => count === 1);
    await scene.unitIn(order, 'queued');
    await first.sim('settle', { ref_id: await scene.reference(order), rc: '00', sn: '1' });
    await eventually(
      () => reversalsOf(order),
      ({ length }) => length === 1,
    );
    await scene.unitIn(order, 'review');
    await scene.resolve(order, 'the first supplier sold it', '--succeeded');
    await scene.orderWith(order, 'completed');
    expect(sent()).toBe(1);
  });
});

describe('The code of a purchase that a supplier reports late', () => {
  /** An order in review before its next attempt, because the first supplier reported a sold code. */
  async function leftToOperator(code: string): Promise<{ order: OrderBody; reference: string }> {
    const sku = await scene.codeProduct(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier: 'busy', supplierSku: 'X' },
    );
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '02' });
    scene.stack.supplier.script(user, () => ({ status: 429, headers: { 'retry-after': '5' } }));
    const order = await scene.order(sku, { user });
    await scene.unitIn(order, 'queued');
    await eventually(
      () => scene.attempts(order),
      ({ length }) => length === 2,
    );
    const reference = await scene.reference(order);
    await first.sim('settle', { ref_id: reference, rc: '00', sn: code });
    await eventually(
      () => reversalsOf(order),
      ({ length }) => length === 1,
    );
    // If the report came during the first send, the unit goes to review before the second one.
    const look = async (): Promise<string | undefined> => {
      await makeDue(scene.stack, order);
      return (await scene.units(order))[0]?.state;
    };
    await eventually(look, (state) => state === 'review');
    return { order, reference };
  }

  it('goes to the merchant if the operator settles the unit with this purchase', async () => {
    const { order, reference } = await leftToOperator('CODE-of-the-first');
    await scene.resolve(order, 'the first vendor sold it', '--succeeded', '--supplier-reference', reference);
    await scene.orderWith(order, 'completed');
    expect((await read(scene.merchant, order)).items[0]?.deliveries).toMatchObject([
      { unit: 1, code: 'CODE-of-the-first' },
    ]);
  });

  it('goes to the merchant even if it comes after the operator has settled the unit with this purchase', async () => {
    const { order, reference } = await leftToOperator('');
    await scene.resolve(order, 'the first vendor sold it', '--succeeded', '--supplier-reference', reference);
    await scene.orderWith(order, 'completed');
    expect((await read(scene.merchant, order)).items[0]?.deliveries).toEqual([]);
    await first.sim('settle', { ref_id: reference, rc: '00', sn: 'CODE-that-came-later' });
    const { items } = await eventually(
      () => read(scene.merchant, order),
      (shown) => shown.items[0]?.deliveries?.length === 1,
    );
    expect(items[0]?.deliveries).toMatchObject([{ unit: 1, code: 'CODE-that-came-later' }]);
  });

  it('is not shown to the merchant if the operator names no purchase, or another one', async () => {
    for (const more of [[], ['--supplier-reference', 'another']]) {
      const { order } = await leftToOperator('CODE-of-the-first');
      await scene.resolve(order, 'the first vendor sold it', '--succeeded', ...more);
      await scene.orderWith(order, 'completed');
      expect((await read(scene.merchant, order)).items[0]?.deliveries).toEqual([]);
    }
  });
});

describe('Such a report while the next attempt is in flight', () => {
  /**
   * An order whose second attempt fails after `refuse`. Its third attempt would succeed with its second send; with `isLast`, there
   * is no offer for a third attempt.
   */
  async function orderUnderWay({ isLast = false } = {}) {
    const other = await scene.product(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier: 'fake', supplierSku: 'X' },
      ...(isLast ? [] : [{ supplier: 'fake', supplierSku: 'Y' }]),
    );
    const user = unique('8');
    let isRefused = false;
    await first.sim('rules', { match: { player: user }, rc: '02' });
    scene.stack.supplier.script(user, ({ reference }, { length }) => {
      if (!reference.endsWith('.1.1.3'))
        return { status: 200, body: { reference, status: isRefused ? 'failed' : 'processing' } };
      return length === 0
        ? { status: 429, headers: { 'retry-after': '3' } }
        : { status: 200, body: { reference, status: 'succeeded' } };
    });
    const order = await scene.order(other, { user });
    const asked = (end: string): number =>
      scene.stack.supplier.about(order.order_number).filter(({ reference }) => reference.endsWith(end)).length;
    const sold = async (): Promise<unknown> =>
      first.sim('settle', { ref_id: await scene.reference(order), rc: '00', sn: '1' });
    await eventually(
      () => asked('.1.1.2'),
      (count) => count > 0,
    );
    await sold();
    const [reversal] = await eventually(
      () => reversalsOf(order),
      ({ length }) => length === 1,
    );
    /** Makes the second attempt fail. It makes inquiries due, because the service queries less and less often. */
    const refuse = async (): Promise<void> => {
      isRefused = true;
      const look = async (): Promise<boolean> => {
        await makeDue(scene.stack, order);
        const [unit] = await scene.units(order);
        return unit?.attempts === 3 || unit?.state === 'review' || unit?.state === 'failed';
      };
      await eventually(look, (isRecorded) => isRecorded);
    };
    return { order, asked, sold, reversal, refuse };
  }

  it('sends the unit to review before a third attempt', async () => {
    const { order, asked, refuse } = await orderUnderWay();
    await refuse();
    await scene.unitIn(order, 'review');
    await scene.resolve(order, 'the first supplier sold it', '--succeeded');
    await scene.orderWith(order, 'completed');
    expect(asked('.1.1.3')).toBe(0);
  });

  it('keeps the unit from being refunded if no offer is left for a third attempt: it goes to review', async () => {
    const { order, reversal, refuse } = await orderUnderWay({ isLast: true });
    const before = await scene.stack.wallet(scene.merchant);

    await refuse();

    expect(await scene.units(order)).toMatchObject([{ state: 'review', attempts: 2 }]);
    expect(await scene.stack.wallet(scene.merchant)).toEqual(before);
    expect((await scene.orderWith(order, 'processing')).items).toMatchObject([{ failed_quantity: 0 }]);
    // The operator may decide all the same that nothing was bought.
    await scene.resolve(order, 'the first supplier paid it back', '--failed', 'OUT_OF_STOCK');
    await scene.orderWith(order, 'failed');
    await scene.commandLine.json('reversal', 'close', `${reversal?.id}`, '--reason', 'paid back there', '--yes');
  });

  it('does not stop the third attempt if it comes again after an operator closed the discrepancy', async () => {
    const { order, asked, sold, reversal, refuse } = await orderUnderWay();
    await scene.commandLine.json('reversal', 'close', `${reversal?.id}`, '--reason', 'paid back there', '--yes');
    await refuse();
    await eventually(
      () => asked('.1.1.3'),
      (count) => count > 0,
    );
    await sold();
    const look = async (): Promise<string> => {
      await makeDue(scene.stack, order);
      return (await scene.orderWith(order, 'processing', 'completed')).status;
    };
    await eventually(look, (status) => status === 'completed');
    expect(await reversalsOf(order)).toHaveLength(1);
  });
});

const OF_ORDER = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';

/** Expects that the unit of an order does not fail after it has waited for this paused supplier for a day. */
async function expectReviewAfterADay(order: OrderBody, supplier: string): Promise<void> {
  const { order_number } = order;
  const aDayLater = async (): Promise<string | undefined> => {
    const yesterday = `= now() - interval '1 day'`;
    await scene.stack.sql(`UPDATE suppliers SET paused_at ${yesterday} WHERE code = $1`, [supplier]);
    await scene.stack.sql(`UPDATE orders SET created_at ${yesterday} WHERE order_number = $1 AND open_items > 0`, [
      order_number,
    ]);
    return (await scene.units(order))[0]?.state;
  };
  const ended = ['review', 'failed', 'succeeded'];
  expect(await eventually(aDayLater, (state) => ended.includes(`${state}`))).toBe('review');
  const history = await eventually(
    () =>
      scene.stack.sql(`SELECT detail FROM supplier_calls WHERE ${OF_ORDER} AND outcome = 'withheld'`, [order_number]),
    ({ length }) => length > 0,
  );
  expect(history).toEqual([{ detail: 'a supplier has reported that an earlier attempt bought it' }]);
  await scene.resolve(order, 'the first supplier sold it', '--succeeded');
  await scene.orderWith(order, 'completed');
}

describe('Such a report while the first send of the next attempt is in flight', () => {
  /** An order whose second attempt, at this supplier, is in flight while the report comes. Its answer is still to come. */
  async function orderInFlight(supplier: string) {
    // The call lasts for longer than the steps of a test.
    await scene.stack.addSupplier(supplier, scene.stack.supplier.url, 120_000);
    const other = await scene.product(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier, supplierSku: 'X' },
    );
    const user = unique('8');
    const answer = deferred<Answer>();
    await first.sim('rules', { match: { player: user }, rc: '02' });
    scene.stack.supplier.script(user, ({ kind, reference }, { length }) => {
      if (length === 0) return answer.promise;
      return kind === 'send' ? bought(reference) : neverSeen;
    });
    const order = await scene.order(other, { user });
    const sends = (): number =>
      scene.stack.supplier.about(order.order_number).filter(({ kind }) => kind === 'send').length;
    await eventually(sends, (count) => count === 1);
    await first.sim('settle', { ref_id: await scene.reference(order), rc: '00', sn: '1' });
    await eventually(
      () => reversalsOf(order),
      ({ length }) => length === 1,
    );
    return { order, sends, answer };
  }

  it.each<{ how: string; answer: Answer }>([
    { how: 'is refused for now', answer: { status: 429, headers: { 'retry-after': '1' } } },
    { how: 'gets no answer, and the supplier has never seen it', answer: 'drop' },
  ])('keeps the unit from being sent again if this send $how: it goes to review', async (given) => {
    const { order, sends, answer } = await orderInFlight('fake');

    answer.resolve(given.answer);

    // Inquiries come less and less often, and a supplier’s “never seen” counts only after a quiet period.
    const look = async (): Promise<string | undefined> => {
      await makeDue(scene.stack, order);
      return (await scene.units(order))[0]?.state;
    };
    await eventually(look, (state) => state === 'review' || state === 'succeeded');
    expect(sends()).toBe(1);
    await scene.resolve(order, 'the first supplier sold it', '--succeeded');
    await scene.orderWith(order, 'completed');
  });

  it('keeps the unit from being refunded if the supplier of this send was paused meanwhile: it goes to review', async () => {
    const supplier = unique('paused');
    const { order, answer } = await orderInFlight(supplier);
    await scene.commandLine.json('supplier', 'pause', supplier, '--reason', 'maintenance');

    answer.resolve({ status: 429, headers: { 'retry-after': '1' } });

    await expectReviewAfterADay(order, supplier);
  });

  it('keeps the unit from being refunded in such a pause also if the claim of this send was undone: it goes to review', async () => {
    const supplier = unique('paused');
    const { order, answer } = await orderInFlight(supplier);
    await scene.commandLine.json('supplier', 'pause', supplier, '--reason', 'maintenance');
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE ${OF_ORDER}`, [
      order.order_number,
    ]);
    answer.resolve({ status: 429, headers: { 'retry-after': '1' } });
    await scene.unitIn(order, 'queued');
    // The undone claim leaves the unit queued beside the open discrepancy.
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'open', closed_at = NULL WHERE ${OF_ORDER}`, [
      order.order_number,
    ]);
    await scene.unitIn(order, 'review');
    await expectReviewAfterADay(order, supplier);
  });
});

describe('An open discrepancy about a late sale, beside a unit that waits to be sent again', () => {
  it('keeps an operator from cancelling the unit, until the discrepancy is closed', async () => {
    const supplier = unique('busy');
    await scene.stack.addSupplier(supplier, scene.stack.supplier.url);
    const sku = await scene.product(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier, supplierSku: 'X' },
    );
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '02' });
    scene.stack.supplier.script(user, () => ({ status: 429, headers: { 'retry-after': '5' } }));
    const order = await scene.order(sku, { user });
    await eventually(
      () => scene.stack.supplier.about(order.order_number).length,
      (sends) => sends > 0,
    );
    await scene.unitIn(order, 'queued');
    // Such a discrepancy is left if the report comes during a claim that its worker then undoes.
    await scene.stack.sql(
      `INSERT INTO supplier_reversals (order_id, item, unit, attempt, supplier_id, kind, created_at)
       SELECT order_id, item, unit, number, supplier_id, 'bought_late', now() FROM unit_attempts
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1) AND number = 1`,
      [order.order_number],
    );
    const [reversal] = await reversalsOf(order);
    const cancel = ['order', 'cancel', order.order_number, '--reason', 'the buyer left', '--yes'];

    const refused = await scene.commandLine.run(...cancel);

    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain(`discrepancy ${reversal?.id} reports that a supplier sold it`);
    await scene.unitIn(order, 'queued');
    await scene.commandLine.json('reversal', 'close', `${reversal?.id}`, '--reason', 'paid back there', '--yes');
    await scene.commandLine.json(...cancel);
    await scene.orderWith(order, 'failed');
  });
});

describe('The previous version, which supports only one attempt', () => {
  it('can’t claim a unit with a second attempt', async () => {
    const user = unique('8');
    await first.sim('rules', { match: { player: user }, rc: '85' });
    const order = await scene.order(sku, { user });
    await scene.reference(order, 2);
    await scene.unitIn(order, 'queued');
    const claimed = await scene.stack.sql(
      `UPDATE order_units SET state = 'sending', claim = claim + 1, claimed_by = 'before/1', sends = sends + 1
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1) RETURNING claim`,
      [order.order_number],
    );
    expect(claimed).toEqual([]);
    await scene.aMinuteLater(order, first);
    await scene.orderWith(order, 'completed');
  });
});
