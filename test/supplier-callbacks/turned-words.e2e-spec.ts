import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { handedOver } from '../deliveries/handed-over.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { useCallingAdapters, WEBHOOK_SECRET } from '../support/calling-supplier.js';
import { eventuallyChecked } from '../support/checks.js';
import { besideChange } from '../support/locks.js';
import { reportOf } from '../support/other-report.js';
import { unique } from '../support/stack.js';
import { CallbackScene, type OpenUnit } from './scene.js';

useCallingAdapters();

let scene: CallbackScene;

beforeAll(async () => {
  scene = await CallbackScene.start();
  await scene.set('reselling', 'reselling', { webhook_secret: WEBHOOK_SECRET });
});

afterAll(() => closeWithBalancedBooks(scene.stack));

interface Case {
  id: number;
  kind: string;
  status: string;
  detail: string | null;
}

const cases = ({ order }: OpenUnit): Promise<Case[]> =>
  scene.stack.sql<Case>(
    `SELECT r.id, r.kind, r.status, r.detail FROM supplier_reversals r JOIN orders o ON o.id = r.order_id
     WHERE o.order_number = $1 ORDER BY r.id`,
    [order.order_number],
  );

const closeAll = (): Promise<object[]> =>
  scene.stack.sql(`UPDATE supplier_reversals SET status = 'closed', closed_at = now() WHERE status = 'open'`);

/** Sends a callback about a unit's outcome. @returns the callback's effect. */
async function says(unit: OpenUnit, word: 'succeeded' | 'failed', deliveryId?: string): Promise<string | undefined> {
  const { reference } = unit;
  const more = deliveryId === undefined ? {} : { deliveryId };
  const failed = { kind: 'failed', code: 'SUPPLIER_REJECTED', message: 'refunded' };
  if (word === 'succeeded') await scene.succeed('signing', reference, more);
  else await scene.call('signing', { kind: 'about', reference, outcome: failed, ...more });
  return (await scene.last('signing'))?.verdict;
}

describe('a discrepancy about a purchase', () => {
  it('is updated with the supplier’s latest report while it is open', async () => {
    const unit = await scene.openUnit('signing');
    expect(await says(unit, 'failed')).toBe('settled');
    expect(await says(unit, 'succeeded')).toBe('contradicted');
    expect(await cases(unit)).toMatchObject([{ kind: 'bought_late', status: 'open' }]);
    expect(await says(unit, 'failed')).toBe('contradicted');
    expect(await says(unit, 'failed')).toBe('nothing_new');
    expect(await cases(unit)).toMatchObject([
      {
        kind: 'bought_late',
        status: 'open',
        detail: 'the supplier now reports failed: SUPPLIER_REJECTED: refunded',
      },
    ]);
    await closeAll();
    expect(await says(unit, 'failed')).toBe('nothing_new');
    expect(await cases(unit)).toHaveLength(1);
  });

  it('is followed by a new one each time the supplier contradicts itself after it was closed', async () => {
    const unit = await scene.openUnit('signing');
    await says(unit, 'succeeded');
    const kinds = ['taken_back', 'bought_late', 'taken_back', 'bought_late'];
    for (const [index, kind] of kinds.entries()) {
      const word = kind === 'taken_back' ? 'failed' : 'succeeded';
      expect([index, await says(unit, word)]).toEqual([index, 'contradicted']);
      expect([index, await says(unit, word)]).toEqual([index, 'nothing_new']);
      await closeAll();
      expect([index, await says(unit, word)]).toEqual([index, 'nothing_new']);
    }
    expect((await cases(unit)).map(({ kind }) => kind)).toEqual(kinds);
    expect(await scene.unit(unit)).toMatchObject({ state: 'succeeded' });
  });

  it('does not keep a simultaneous report of another purchase from opening its own', async () => {
    const unit = await scene.openUnit('signing');
    await says(unit, 'succeeded');
    const { reference } = unit;
    const outcome = { kind: 'unknown', detail: 'another order', besides: { supplierReference: 'S-9' } };
    const call = (): Promise<unknown> => scene.call('signing', { kind: 'about', reference, outcome });
    await besideChange(scene.stack, reportOf('S-8', reference), call);
    expect(await scene.last('signing')).toMatchObject({ verdict: 'contradicted' });
    const found = await scene.stack.sql(
      `SELECT r.supplier_reference FROM supplier_reversals r JOIN unit_attempts a USING (order_id) WHERE a.reference = $1
       ORDER BY r.id`,
      [reference],
    );
    expect(found).toEqual([{ supplier_reference: 'S-8' }, { supplier_reference: 'S-9' }]);
    await closeAll();
  });

  it('does not change by a repeated callback', async () => {
    const unit = await scene.openUnit('signing');
    await says(unit, 'succeeded', `first-${unit.reference}`);
    await says(unit, 'failed', `second-${unit.reference}`);
    await closeAll();
    expect(await says(unit, 'succeeded', `first-${unit.reference}`)).toBe('repeated');
    expect(await cases(unit)).toMatchObject([{ kind: 'taken_back', status: 'closed' }]);
  });
});

const REFUSED = { kind: 'failed', code: 'SUPPLIER_REJECTED', message: 'refunded' };

const call = ({ reference }: OpenUnit, supplierReference: string, outcome: object): Promise<unknown> =>
  scene.call('reselling', { kind: 'about', reference, supplierReference, outcome });

const sold = (unit: OpenUnit, supplierReference: string, code?: string): Promise<unknown> => {
  const deliveries = code === undefined ? [] : [{ serial: null, code, expiresOn: null }];
  return call(unit, supplierReference, { kind: 'succeeded', supplierReference, deliveries });
};

describe('the purchases of a failed unit at a supplier that may sell each send', () => {
  interface Late {
    supplier_reference: string;
    status: string;
    says: string | null;
    has_code: boolean;
  }

  const late = ({ order }: OpenUnit): Promise<Late[]> =>
    scene.stack.sql<Late>(
      `SELECT r.supplier_reference, r.status, r.says, r.delivered_sealed IS NOT NULL AS has_code
       FROM supplier_reversals r JOIN orders o ON o.id = r.order_id
       WHERE o.order_number = $1 AND r.kind = 'bought_late' ORDER BY r.id`,
      [order.order_number],
    );

  async function failedUnit(kind: 'topup' | 'code' = 'topup'): Promise<OpenUnit> {
    const unit = await scene.openUnit('reselling', kind);
    await call(unit, 'S-0', REFUSED);
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'failed');
    return unit;
  }

  const OPEN = { status: 'open', says: null, has_code: false };

  it('have a discrepancy each, also after an operator closed the first', async () => {
    const unit = await failedUnit();
    await sold(unit, 'S-1');
    await sold(unit, 'S-2');
    await sold(unit, 'S-1');
    const [first, second] = ['S-1', 'S-2'].map((supplier_reference) => ({ supplier_reference, ...OPEN }));
    expect(await late(unit)).toEqual([first, second]);
    await closeAll();
    await sold(unit, 'S-2');
    await sold(unit, 'S-3');
    expect((await late(unit)).map(({ status }) => status)).toEqual(['closed', 'closed', 'open']);
  });

  it('have a discrepancy each, with its code, if only checks find them', async () => {
    const unit = await failedUnit('code');
    const { reference } = unit;
    for (const [index, name] of ['S-1', 'S-2'].entries()) {
      scene.stack.supplier.script(unit.user, () => handedOver(reference, [{ code: `CODE-${name}` }], name));
      await scene.call('reselling', { kind: 'about', reference });
      await eventuallyChecked(
        scene.stack,
        () => late(unit),
        ({ length }) => length > index,
      );
    }
    const found = ['S-1', 'S-2'].map((supplier_reference) => ({ supplier_reference, ...OPEN, has_code: true }));
    expect(await late(unit)).toEqual(found);
  });

  it('have a discrepancy each, also if a report without the supplier’s reference opened the first', async () => {
    const unit = await failedUnit('code');
    const { reference } = unit;
    const outcome = { kind: 'succeeded', supplierReference: null };
    await scene.call('reselling', { kind: 'about', reference, outcome });
    await sold(unit, 'S-1');
    await sold(unit, 'S-2', 'CODE-2');
    const first = { supplier_reference: 'S-1', ...OPEN };
    expect(await late(unit)).toEqual([first, { supplier_reference: 'S-2', ...OPEN, has_code: true }]);
  });

  it('get their codes and later reports in their own discrepancies', async () => {
    const unit = await failedUnit('code');
    await sold(unit, 'S-1');
    await sold(unit, 'S-2', 'CODE-2');
    expect((await late(unit)).map(({ has_code: hasCode }) => hasCode)).toEqual([false, true]);
    await sold(unit, 'S-3');
    await sold(unit, 'S-1', 'CODE-1');
    await call(unit, 'S-1', REFUSED);
    // No discrepancy is about this purchase.
    await call(unit, 'S-4', REFUSED);
    expect(await late(unit)).toEqual([
      { supplier_reference: 'S-1', status: 'open', says: 'failed', has_code: true },
      { supplier_reference: 'S-2', ...OPEN, has_code: true },
      { supplier_reference: 'S-3', ...OPEN },
    ]);
  });
});

describe('the late sales of an attempt that another one followed, at a supplier that may sell each send', () => {
  /** A unit whose first attempt is `S-2` to its supplier, and whose second attempt another supplier is processing. */
  async function followedUnit(): Promise<OpenUnit> {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00', { supplier: 'reselling', kind: 'code' });
    await stack.api.get(OffersService).set({ sku, supplier: 'fake', supplierSku: 'X', priority: 1_000 });
    const user = unique('player');
    stack.supplier.script(user, ({ reference }) => ({
      status: 200,
      body: { reference, status: 'processing', ...(reference.endsWith('.1.1') && { supplier_reference: 'S-2' }) },
    }));
    const order = await stack.order(merchant, [{ sku }], user);
    const unit = { order, user, reference: `${order.order_number}.1.1` };
    await scene.untilInDoubt(unit, 1);
    await call(unit, 'S-2', { ...REFUSED, failover: true });
    await scene.untilInDoubt(unit, 2);
    return unit;
  }

  it.each([
    { named: 'the supplier’s reference', nameIn: (_unit: OpenUnit) => 'S-2' },
    { named: 'our reference', nameIn: ({ reference }: OpenUnit) => reference },
  ])('give the merchant only the code of the attempt’s own one, if an operator enters $named', async ({ nameIn }) => {
    const unit = await followedUnit();
    await sold(unit, 'S-1', 'CODE-1');
    await sold(unit, 'S-2');
    await scene.resolve(unit, '--succeeded', '--supplier-reference', nameIn(unit));
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    expect(await scene.codesOf(unit)).toEqual([]);
    await sold(unit, 'S-3', 'CODE-3');
    expect(await scene.codesOf(unit)).toEqual([]);
    await sold(unit, 'S-2', 'CODE-2');
    expect(await scene.codesOf(unit)).toEqual(['CODE-2']);
  });
});

describe('a refusal that sends its unit to review, at a supplier that may sell each send', () => {
  it('is followed by a check after the operator’s decision, which finds that the unit was bought after all', async () => {
    const { stack, merchant } = scene;
    const sku = await stack.product('35.00', { supplier: 'signing' });
    await stack.api.get(OffersService).set({ sku, supplier: 'reselling', supplierSku: 'X', priority: 1_000 });
    const user = unique('player');
    const answerWith = (status: string): void =>
      stack.supplier.script(user, ({ reference }) => ({ status: 200, body: { reference, status } }));
    answerWith('processing');
    const order = await stack.order(merchant, [{ sku }], user);
    const unit = { order, user, reference: `${order.order_number}.1.1` };
    await scene.untilInDoubt(unit, 1);
    await scene.call('signing', { kind: 'about', reference: unit.reference, outcome: { ...REFUSED, failover: true } });
    await scene.untilInDoubt(unit, 2);
    await scene.succeed('signing', unit.reference);
    await scene.call('reselling', { kind: 'about', reference: `${unit.reference}.2`, outcome: REFUSED });
    expect(await scene.unit(unit)).toMatchObject({ state: 'review' });
    const ofOrder = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';
    const scheduled = `SELECT attempt FROM attempt_checks WHERE ${ofOrder}`;
    expect(await stack.sql(scheduled, [order.order_number])).toEqual([{ attempt: 2 }]);
    await scene.resolve(unit, '--failed', 'OUT_OF_STOCK');
    answerWith('succeeded');
    const found = await eventuallyChecked(
      stack,
      () => cases(unit),
      ({ length }) => length > 1,
    );
    expect(found).toMatchObject([{ kind: 'bought_late' }, { kind: 'bought_late' }]);
  });
});

describe('the code of a second purchase that a supplier reports beside the known one', () => {
  const surplus = ({ reference }: OpenUnit, code?: string): Promise<unknown> => {
    const deliveries = code === undefined ? {} : { deliveries: [{ serial: null, code, expiresOn: null }] };
    const outcome = { kind: 'unknown', detail: 'another order', besides: { supplierReference: 'S-9', ...deliveries } };
    return scene.call('reselling', { kind: 'about', reference, outcome });
  };

  const second = ({ order }: OpenUnit): Promise<{ has_code: boolean }[]> =>
    scene.stack.sql(
      `SELECT delivered_sealed IS NOT NULL AS has_code FROM supplier_reversals
       WHERE kind = 'unknown_purchase' AND order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order.order_number],
    );

  it('is stored with the discrepancy, and goes to the merchant if an operator settles the unit with this purchase', async () => {
    const unit = await scene.openUnit('reselling', 'code');
    await surplus(unit, 'CODE-9');
    expect(await second(unit)).toEqual([{ has_code: true }]);
    await scene.resolve(unit, '--succeeded', '--supplier-reference', 'S-9');
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    expect(await scene.codesOf(unit)).toEqual(['CODE-9']);
  });

  it('goes to the merchant if it comes after the operator’s decision', async () => {
    const unit = await scene.openUnit('reselling', 'code');
    await surplus(unit);
    expect(await second(unit)).toEqual([{ has_code: false }]);
    await scene.resolve(unit, '--succeeded', '--supplier-reference', 'S-9');
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    expect(await scene.codesOf(unit)).toEqual([]);
    await surplus(unit, 'CODE-9');
    expect(await scene.codesOf(unit)).toEqual(['CODE-9']);
  });

  it('does not go to the merchant after a decision that names another purchase', async () => {
    const unit = await scene.openUnit('reselling', 'code');
    await scene.resolve(unit, '--succeeded', '--supplier-reference', unit.reference);
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    await surplus(unit, 'CODE-9');
    expect(await second(unit)).toEqual([{ has_code: true }]);
    expect(await scene.codesOf(unit)).toEqual([]);
  });

  it('is queried if the report lacks it, and does not go to the merchant, whose unit has its own code', async () => {
    const unit = await scene.openUnit('reselling', 'code');
    await sold(unit, 'S-1', 'CODE-1');
    await scene.stack.orderWith(scene.merchant, unit.order.reference_id, 'completed');
    await surplus(unit);
    expect(await second(unit)).toEqual([{ has_code: false }]);
    scene.stack.supplier.script(unit.user, () => handedOver(unit.reference, [{ code: 'CODE-9' }], 'S-9'));
    const found = await eventuallyChecked(
      scene.stack,
      () => second(unit),
      ([each]) => each?.has_code === true,
    );
    expect(found).toHaveLength(1);
    expect(await scene.codesOf(unit)).toEqual(['CODE-1']);
  });
});
