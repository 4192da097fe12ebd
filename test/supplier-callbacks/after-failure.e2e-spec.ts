import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { handedOver } from '../deliveries/handed-over.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters } from '../support/calling-supplier.js';
import { deferred } from '../support/deferred.js';
import { eventually } from '../support/eventually.js';
import { OffersService } from '../../src/catalog/offers.service.js';
import { bought, refused, type Answer } from '../support/fake-supplier.js';
import { unique } from '../support/stack.js';
import { CallbackScene, type OpenUnit } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
});

afterAll(() => closeWithBalancedBooks(scene.stack));

type Named = Pick<OpenUnit, 'order' | 'reference'>;

const callAbout = ({ reference }: Named): Promise<unknown> => scene.call('plain', { kind: 'about', reference });

/** A failed unit of a supplier whose callbacks do not prove their sender. */
async function refusedUnit(kind: 'topup' | 'code' = 'topup'): Promise<OpenUnit> {
  const unit = await scene.openUnit('plain', kind);
  scene.stack.supplier.script(unit.user, () => refused(unit.reference, 'OUT_OF_STOCK'));
  await callAbout(unit);
  await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'failed');
  return unit;
}

interface Discrepancy {
  kind: string;
  has_code: boolean;
}

/** The discrepancies of a unit. Makes its check due, if it has one. */
async function discrepancies({ order }: Named): Promise<Discrepancy[]> {
  await checkNow();
  return scene.stack.sql<Discrepancy>(
    `SELECT kind, delivered_sealed IS NOT NULL AS has_code
     FROM supplier_reversals r JOIN orders o ON o.id = r.order_id WHERE o.order_number = $1`,
    [order.order_number],
  );
}

const askedAgain = async (unit: OpenUnit, before: number): Promise<number> =>
  eventually(
    () => scene.inquiries(unit),
    (count) => count > before,
  );

const checkNow = (): Promise<object[]> => scene.stack.sql('UPDATE attempt_checks SET due_at = now()');

const noChecks = (): Promise<object[]> =>
  eventually(
    () => scene.stack.sql('SELECT FROM attempt_checks'),
    ({ length }) => length === 0,
  );

/** Makes the checks due once: a check under way does not end if it is made due again. */
async function checksEnd(): Promise<void> {
  await checkNow();
  await noChecks();
}

/** Lets a unit and its callbacks be so old. PostgreSQL otherwise refuses to change a unit that has ended. */
const endedSince = ({ order }: OpenUnit, age: string): Promise<void> =>
  scene.stack.fill(`
    SET session_replication_role = 'replica';
    UPDATE supplier_callbacks SET received_at = now() - interval '${age}'
    WHERE order_id = (SELECT id FROM orders WHERE order_number = '${order.order_number}');
    UPDATE order_units SET updated_at = now() - interval '${age}'
    WHERE order_id = (SELECT id FROM orders WHERE order_number = '${order.order_number}')`);

const BOUGHT_LATE = { kind: 'bought_late', has_code: false };

/** Waits for a unit's first discrepancy. */
const untilDiscrepant = (unit: Named): Promise<Discrepancy[]> =>
  eventually(
    () => discrepancies(unit),
    ({ length }) => length > 0,
  );

async function expectBoughtLate(unit: Named): Promise<void> {
  expect(await untilDiscrepant(unit)).toEqual([BOUGHT_LATE]);
  await checksEnd();
}

describe('a callback about a failed unit that does not prove its sender', () => {
  it('leads to inquiries until the supplier has ended the purchase that is still in progress', async () => {
    const unit = await refusedUnit();
    const { reference } = unit;
    scene.stack.supplier.script(unit.user, () => ({ status: 200, body: { reference, status: 'processing' } }));
    const before = scene.inquiries(unit);
    await callAbout(unit);
    await askedAgain(unit, before);
    scene.sell(unit);
    await expectBoughtLate(unit);
  });

  it('leads to rarer and rarer inquiries, and to no more after 30 days, if the purchase never ends', async () => {
    const unit = await refusedUnit();
    const { reference } = unit;
    scene.stack.supplier.script(unit.user, () => ({ status: 200, body: { reference, status: 'processing' } }));
    const before = scene.inquiries(unit);
    await callAbout(unit);
    await askedAgain(unit, before);
    await endedSince(unit, '16 hours');
    const dueLater = (): Promise<object[]> =>
      scene.stack.sql(`SELECT FROM attempt_checks WHERE due_at > now() + interval '1 hour'`);
    await checkNow();
    await eventually(dueLater, ({ length }) => length === 1);
    await endedSince(unit, '31 days');
    await checksEnd();
    expect(await discrepancies(unit)).toEqual([]);
  });

  it('leads to an inquiry of its own, even if it comes while another one is under way', async () => {
    const unit = await refusedUnit();
    const answered = deferred<Answer>();
    let isFirst = true;
    scene.stack.supplier.script(unit.user, () => {
      if (!isFirst) return handedOver(unit.reference, []);
      isFirst = false;
      return answered.promise;
    });
    const before = scene.inquiries(unit);
    await callAbout(unit);
    await askedAgain(unit, before);
    await callAbout(unit);
    answered.resolve(refused(unit.reference, 'OUT_OF_STOCK'));
    await expectBoughtLate(unit);
  });

  it('leads to inquiries until the code has come, if the supplier then reports a success without its code', async () => {
    const unit = await refusedUnit('code');
    scene.stack.supplier.script(unit.user, () => handedOver(unit.reference, []));
    await callAbout(unit);
    await untilDiscrepant(unit);
    const before = scene.inquiries(unit);
    await eventually(
      () => discrepancies(unit),
      () => scene.inquiries(unit) > before,
    );
    scene.stack.supplier.script(unit.user, () => handedOver(unit.reference, [{ code: 'CODE-late' }]));
    const found = await eventually(
      () => discrepancies(unit),
      ([each]) => each?.has_code === true,
    );
    expect(found).toEqual([{ ...BOUGHT_LATE, has_code: true }]);
    await checksEnd();
  });

  it('leads to no further inquiry for the code once an operator has closed the discrepancy', async () => {
    const unit = await refusedUnit('code');
    scene.stack.supplier.script(unit.user, () => handedOver(unit.reference, []));
    await callAbout(unit);
    await untilDiscrepant(unit);
    await scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now()`);
    await checksEnd();
  });
});

describe('a report of the first supplier of a unit that another supplier then sells', () => {
  /** An order whose first supplier gives this answer to its only send, and then says that it has sold the unit. */
  async function orderAt(supplier: string, answer: Answer | Promise<Answer>): Promise<Named> {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00', { supplier });
    await stack.api.get(OffersService).set({ sku, supplier: 'fake', supplierSku: 'X', priority: 1_000 });
    const user = unique('player');
    stack.supplier.script(user, ({ reference }, { length }) =>
      length === 0 && reference.endsWith('.1.1') ? answer : bought(reference),
    );
    const order = await stack.order(merchant, [{ sku }], user);
    await eventually(
      () => stack.supplier.about(order.order_number),
      ({ length }) => length > 0,
    );
    return { order, reference: `${order.order_number}.1.1` };
  }

  const boughtElsewhere = ({ order }: Named): Promise<unknown> =>
    scene.stack.orderWith(scene.merchant, order.reference_id, 'completed');

  it('leads to a discrepancy even if it came while the send was in flight, without proof, and the answer refuses it', async () => {
    const answer = deferred<Answer>();
    const unit = await orderAt('plain', answer.promise);
    await callAbout(unit);
    answer.resolve(refused(unit.reference, 'OUT_OF_STOCK'));
    await boughtElsewhere(unit);
    await expectBoughtLate(unit);
  });

  it('leads to a discrepancy even if it only proves that the refused purchase is in progress', async () => {
    const unit = await orderAt('signing', { status: 422, body: { code: 'OUT_OF_STOCK' } });
    await boughtElsewhere(unit);
    await scene.call('signing', { kind: 'about', reference: unit.reference, outcome: { kind: 'processing' } });
    await expectBoughtLate(unit);
  });
});
