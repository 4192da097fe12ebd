import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { read } from '../deliveries/handed-over.js';
import type { DigiflazzClient } from '../simulators/digiflazz-client.js';
import { makeDue } from '../support/due.js';
import { eventually } from '../support/eventually.js';
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

describe('A vendor that says later that it bought what had been given up', () => {
  it('makes a case with what it cost; unit, order and wallet stay as they are', async () => {
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

describe('A vendor that says so while the next attempt is not begun', () => {
  it('keeps it from being bought twice: the operator decides', async () => {
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

describe('The code of what a vendor sold after all', () => {
  /** An order whose next attempt is left to the operator, because the first vendor sold a code. */
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
    await scene.unitIn(order, 'review');
    return { order, reference };
  }

  it('is the merchant’s where the operator settles the unit with that very purchase', async () => {
    const { order, reference } = await leftToOperator('CODE-of-the-first');
    await scene.resolve(order, 'the first vendor sold it', '--succeeded', '--supplier-reference', reference);
    await scene.orderWith(order, 'completed');
    expect((await read(scene.merchant, order)).items[0]?.deliveries).toMatchObject([
      { unit: 1, code: 'CODE-of-the-first' },
    ]);
  });

  it('is nobody’s where the operator names no purchase, or another one', async () => {
    for (const more of [[], ['--supplier-reference', 'another']]) {
      const { order } = await leftToOperator('CODE-of-the-first');
      await scene.resolve(order, 'the first vendor sold it', '--succeeded', ...more);
      await scene.orderWith(order, 'completed');
      expect((await read(scene.merchant, order)).items[0]?.deliveries).toEqual([]);
    }
  });
});

describe('A vendor that says so while the next attempt is under way', () => {
  /** An order whose second attempt is refused once that is said, and whose third is bought when it is sent again. */
  async function orderUnderWay() {
    const other = await scene.product(
      { supplier: 'first', supplierSku: 'ml86', cost: 20_000 },
      { supplier: 'fake', supplierSku: 'X' },
      { supplier: 'fake', supplierSku: 'Y' },
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
    /** Asked about more seldom by and by, it is made due until its refusal is known. */
    const refuse = async (): Promise<void> => {
      isRefused = true;
      const look = async (): Promise<number> => {
        await makeDue(scene.stack, order);
        return (await scene.attempts(order)).length;
      };
      await eventually(look, (count) => count === 3);
    };
    return { order, asked, sold, reversal, refuse };
  }

  it('leaves the one after it to the operator', async () => {
    const { order, asked, refuse } = await orderUnderWay();
    await refuse();
    await scene.unitIn(order, 'review');
    await scene.resolve(order, 'the first supplier sold it', '--succeeded');
    await scene.orderWith(order, 'completed');
    expect(asked('.1.1.3')).toBe(0);
  });

  it('stops nothing by saying it again after the operator closed the case', async () => {
    const { order, asked, sold, reversal, refuse } = await orderUnderWay();
    await scene.commandLine.json('reversal', 'close', `${reversal?.id}`, '--reason', 'paid back there', '--yes');
    await refuse();
    await eventually(
      () => asked('.1.1.3'),
      (count) => count > 0,
    );
    await sold();
    await scene.orderWith(order, 'completed');
    expect(await reversalsOf(order)).toHaveLength(1);
  });
});

describe('The version before, which knows of one attempt only', () => {
  it('can’t claim a unit that is at a later one', async () => {
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
