import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handedOver } from '../deliveries/handed-over.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { checkNow, holdChecks } from '../support/checks.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { eventually } from '../support/eventually.js';
import { unique } from '../support/stack.js';
import { CallbackScene, type OpenUnit } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
  await holdChecks(scene.stack);
});

afterAll(() => closeWithBalancedBooks(scene.stack));

/** A sold unit of a supplier whose callbacks do not prove their sender. */
async function boughtUnit(): Promise<OpenUnit> {
  const unit = await scene.openUnit('plain');
  scene.sell(unit);
  await callAbout(unit);
  await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
  return unit;
}

const callAbout = ({ reference }: OpenUnit): Promise<unknown> => scene.call('plain', { kind: 'about', reference });

const checks = (): Promise<object[]> => scene.stack.sql('SELECT * FROM attempt_checks');

/** Makes the scheduled checks due, and waits until they are done. */
async function checked(): Promise<void> {
  await checkNow(scene.stack);
  await eventually(checks, ({ length }) => length === 0);
}

const reversals = ({ order }: OpenUnit): Promise<{ kind: string }[]> =>
  scene.stack.sql(
    `SELECT kind FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
    [order.order_number],
  );

describe('a callback about a settled unit that does not prove its sender', () => {
  it('causes one inquiry, however often it comes, and changes nothing if the success is confirmed', async () => {
    const unit = await boughtUnit();
    const before = scene.inquiries(unit);
    for (let count = 0; count < 3; count++) {
      await callAbout(unit);
      expect(await scene.last('plain')).toMatchObject({ verdict: 'woke' });
    }
    await checked();
    expect(scene.inquiries(unit)).toBe(before + 1);
    expect(await reversals(unit)).toEqual([]);
  });

  it('also causes an inquiry if it has only the supplier’s reference from the first answer', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00', { supplier: 'plain' });
    const { reference_id } = await stack.order(merchant, [{ sku }], unique('player'));
    const { order_number } = await stack.orderWith(merchant, reference_id, 'completed');
    await scene.call('plain', { kind: 'about', supplierReference: `S-${order_number}.1.1` });
    expect(await scene.last('plain')).toMatchObject({ verdict: 'woke', attempt: 1 });
    await checked();
    const kinds = stack.supplier.about(order_number).map(({ kind }) => kind);
    expect(kinds).toEqual(['send', 'inquiry']);
  });

  it('opens a discrepancy if the supplier then reports a failure', async () => {
    const unit = await boughtUnit();
    const { reference } = unit;
    const body = {
      reference,
      status: 'failed',
      failure_code: 'SUPPLIER_REJECTED',
      failure_message: 'refunded',
    };
    scene.stack.supplier.script(unit.user, () => ({ status: 200, body }));
    await callAbout(unit);
    await checked();
    expect(await reversals(unit)).toEqual([{ kind: 'taken_back' }]);
    expect(await scene.unit(unit)).toMatchObject({ state: 'succeeded' });
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
  });

  it('opens a discrepancy if the supplier then reports a success of a failed unit', async () => {
    const unit = await scene.openUnit('plain');
    const { reference } = unit;
    const refusal = { reference, status: 'failed', failure_code: 'OUT_OF_STOCK' };
    scene.stack.supplier.script(unit.user, () => ({ status: 200, body: refusal }));
    await callAbout(unit);
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'failed');
    scene.sell(unit);
    await callAbout(unit);
    expect(await scene.last('plain')).toMatchObject({ verdict: 'woke' });
    await checked();
    expect(await reversals(unit)).toEqual([{ kind: 'bought_late' }]);
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
  });

  it('causes the inquiry again later if the supplier does not answer', async () => {
    const unit = await boughtUnit();
    scene.stack.supplier.script(unit.user, () => 'drop');
    const before = scene.inquiries(unit);
    await callAbout(unit);
    await checkNow(scene.stack);
    await eventually(
      () => scene.inquiries(unit),
      (count) => count > before,
    );
    expect(await checks()).toHaveLength(1);
    await scene.stack.sql('DELETE FROM attempt_checks');
  });
});

describe('a callback about a unit in review that does not prove its sender', () => {
  /**
   * A unit that an operator settles after the callback, before its check. @returns its codes.
   * @param proven the supplier's reference that an earlier answer has proved.
   */
  async function settledAs(supplierReference: (ours: string) => string, proven: string | null = null) {
    const unit = await scene.openUnit('plain', 'code');
    const { order, user, reference } = unit;
    await scene.stack.sql(
      `UPDATE order_units SET state = 'review', next_action_at = NULL
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );
    await scene.stack.sql('UPDATE unit_attempts SET supplier_reference = $2 WHERE reference = $1', [reference, proven]);
    scene.stack.supplier.script(user, () => handedOver(reference, [{ code: 'CODE-after-review' }]));
    await callAbout(unit);
    await scene.resolve(unit, '--succeeded', '--supplier-reference', supplierReference(reference));
    await scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');
    await checked();
    return { codes: await scene.codesOf(unit), found: await reversals(unit) };
  }

  it('leads to the code, and to no discrepancy, if an operator then settles the unit with the purchase', async () => {
    for (const named of [(ours: string) => `S-${ours}`, (ours: string) => ours])
      expect(await settledAs(named)).toEqual({ codes: ['CODE-after-review'], found: [] });
  });

  it('leads to a discrepancy, and to no code, if an operator then settles the unit with another purchase', async () => {
    expect(await settledAs(() => 'another')).toEqual({ codes: [], found: [{ kind: 'unknown_purchase' }] });
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
  });

  it('leads to a discrepancy, and to no code, if the operator names our reference, but the supplier now another purchase than before', async () => {
    const settled = await settledAs((ours) => ours, 'S-before');
    expect(settled).toEqual({ codes: [], found: [{ kind: 'unknown_purchase' }] });
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
  });
});
