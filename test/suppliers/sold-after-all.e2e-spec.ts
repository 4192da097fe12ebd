import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/core/metrics.js';
import { eventuallyChecked } from '../support/checks.js';
import { eventually } from '../support/eventually.js';
import { bought, FakeSupplier, refused } from '../support/fake-supplier.js';
import { besideChange } from '../support/locks.js';
import { reportOf } from '../support/other-report.js';
import { unique, type OrderBody } from '../support/stack.js';
import { purchasesScene, type Case } from './purchases-scene.js';

const scene = purchasesScene();
/** Sells the units that the first supplier refuses. */
const second = new FakeSupplier();

beforeAll(async () => {
  await second.listen();
  await scene.stack.addSupplier('second', second.url);
});

afterAll(() => second.close());

const casesOf = async ({ order_number }: OrderBody): Promise<Case[]> =>
  (await scene.openDiscrepancies()).filter((each) => each.order_number === order_number);

const namesOf = async (order: OrderBody): Promise<string[]> =>
  (await casesOf(order)).map(({ supplier_reference }) => supplier_reference ?? '').sort();

/** An order whose first supplier reports "out of stock". @returns the ended order, its reference at this supplier, and its player. */
async function orderedInVain(sku: string): Promise<{ order: OrderBody; reference: string; user: string }> {
  const user = unique('player');
  scene.stack.supplier.script(user, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], user);
  const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed', 'failed');
  return { order, reference: `${order.order_number}.1.1`, user };
}

async function productOfBoth(): Promise<string> {
  const sku = await scene.stack.product('35.00');
  await scene.commandLine.json(
    'offer',
    'set',
    '--sku',
    sku,
    '--supplier',
    'second',
    '--supplier-sku',
    'other',
    '--priority',
    '2',
  );
  return sku;
}

/** Lists a reference as sold by the first supplier. @param names the supplier's references of further sales under it. */
function list(reference: string, ...names: string[]): void {
  const data = [...names, 'S-9'].map((supplier_reference) => ({
    reference,
    status: 'succeeded',
    supplier_reference,
  }));
  scene.stack.supplier.purchases = () => ({ status: 200, body: { data, next_cursor: null } });
}

/** Lists a reference as sold by the first supplier, on a page for each of these references of the supplier. */
function listOnPages(reference: string, ...names: string[]): void {
  scene.stack.supplier.purchases = (query) => {
    const at = Number(query.get('cursor') ?? '0');
    const data = [{ reference, status: 'succeeded', supplier_reference: names[at] }];
    return { status: 200, body: { data, next_cursor: at + 1 < names.length ? `${at + 1}` : null } };
  };
}

describe('a purchase that its supplier lists as sold', () => {
  it('opens one discrepancy if its unit failed, and the report counts the surplus', async () => {
    const { order, reference } = await orderedInVain(await scene.stack.product('35.00'));
    expect(order.status).toBe('failed');
    list(reference);
    expect(await scene.report()).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      {
        order_number: order.order_number,
        kind: 'bought_late',
        supplier: 'fake',
        detail: 'listed: succeeded',
      },
    ]);
    await scene.report();
    expect(await casesOf(order)).toHaveLength(1);
    const { stdout } = await scene.commandLine.run('report', 'supplier', '--supplier', 'fake');
    expect(stdout).toContain('The list of fake has 1 purchase more than our books');
  });

  it('opens a discrepancy if another supplier then sold the unit', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    expect(order.status).toBe('completed');
    list(reference);
    expect(await scene.report()).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      { order_number: order.order_number, kind: 'bought_late', supplier: 'fake' },
    ]);
  });

  it('opens a discrepancy if the list has two purchases under the reference, and the unit has the other one', async () => {
    const sku = await scene.stack.product('35.00');
    const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], unique('player'));
    const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    list(reference);
    expect(await scene.report()).toMatchObject({ surplus: 0 });
    expect(await casesOf(order)).toEqual([]);
    list(reference, `S-${reference}`);
    expect(await scene.report()).toMatchObject({ ok: false, surplus: 1 });
    const found = { kind: 'unknown_purchase', supplier: 'fake', supplier_reference: 'S-9' };
    expect(await casesOf(order)).toMatchObject([found]);
    await scene.report();
    expect(await casesOf(order)).toHaveLength(1);
  });

  it.each(['first', 'second'])(
    'opens a discrepancy if the two purchases are on different pages of the list, the unit’s own on the %s',
    async (own) => {
      const sku = await scene.stack.product('35.00');
      const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], unique('player'));
      const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
      const reference = `${order.order_number}.1.1`;
      const names = [`S-${reference}`, 'S-9'];
      listOnPages(reference, ...(own === 'first' ? names : names.reverse()));
      expect(await scene.report()).toMatchObject({ ok: false, listed: 2, surplus: 1 });
      expect(await casesOf(order)).toMatchObject([{ kind: 'unknown_purchase', supplier_reference: 'S-9' }]);
      expect(await scene.report()).toMatchObject({ surplus: 1 });
      expect(await casesOf(order)).toHaveLength(1);
    },
  );

  it('opens one for each sale of a failed unit on different pages, and counts each once', async () => {
    const { order, reference } = await orderedInVain(await scene.stack.product('35.00'));
    listOnPages(reference, 'S-7', 'S-8', 'S-9');
    expect(await scene.report()).toMatchObject({ ok: false, listed: 3, surplus: 3 });
    expect(await namesOf(order)).toEqual(['S-7', 'S-8', 'S-9']);
  });

  it('opens a discrepancy if a statement has two purchases under the reference, and the unit has the other one', async () => {
    const { reference_id } = await scene.stack.order(
      scene.merchant,
      [{ sku: await scene.stack.product('35.00') }],
      unique('player'),
    );
    const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    // The statement is compared in parts of 500 purchases.
    const failed = Array.from({ length: 499 }, (_, index) => `${unique('other')}-${index},,Gagal`);
    const sales = [`${reference},S-${reference},Sukses`, `${reference},S-second,Sukses`];
    const file = scene.statement('reference,supplier_reference,status', ...failed, ...sales);
    expect(await scene.report('--statement', file)).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([{ kind: 'unknown_purchase', supplier_reference: 'S-second' }]);
  });

  it('opens a discrepancy if a statement has a sale and a purchase that was paid back under the reference', async () => {
    const { order, reference } = await orderedInVain(await scene.stack.product('35.00'));
    const lines = [`${reference},S-first,Refund`, `${reference},S-second,Sukses`];
    const file = scene.statement('reference,supplier_reference,status', ...lines);
    expect(await scene.report('--statement', file)).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([{ kind: 'bought_late', supplier_reference: 'S-second' }]);
  });

  it('opens a discrepancy also if the unit has the purchase that was paid back', async () => {
    const sku = await scene.stack.product('35.00');
    const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], unique('player'));
    const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    const lines = [`${reference},S-${reference},Refund`, `${reference},S-second,Sukses`];
    const file = scene.statement('reference,supplier_reference,status', ...lines);
    expect(await scene.report('--statement', file)).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([{ kind: 'unknown_purchase', supplier_reference: 'S-second' }]);
  });

  it('opens one for each further sale under the reference of a unit, also after an operator closed the first', async () => {
    const sku = await scene.stack.product('35.00');
    const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], unique('player'));
    const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    list(reference, `S-${reference}`);
    expect(await scene.report()).toMatchObject({ surplus: 1 });
    list(reference, `S-${reference}`, 'S-7', 'S-8');
    expect(await scene.report()).toMatchObject({ surplus: 3 });
    expect(await namesOf(order)).toEqual(['S-7', 'S-8', 'S-9']);
    await scene.report();
    expect(await namesOf(order)).toHaveLength(3);
    for (const { id } of await casesOf(order))
      await scene.commandLine.json('reversal', 'close', `${id}`, '--reason', 'paid back');
    list(reference, `S-${reference}`, 'S-7', 'S-8', 'S-6');
    await scene.report();
    expect(await namesOf(order)).toEqual(['S-6']);
  });

  it('opens one also while another report opens one about another purchase', async () => {
    const sku = await scene.stack.product('35.00');
    const { reference_id } = await scene.stack.order(scene.merchant, [{ sku }], unique('player'));
    const order = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const reference = `${order.order_number}.1.1`;
    list(reference, `S-${reference}`);
    await besideChange(scene.stack, reportOf('S-8', reference), () => scene.report());
    expect(await namesOf(order)).toEqual(['S-8', 'S-9']);
  });

  it('opens one for each sale of a failed unit, but none for a sale that only got another name', async () => {
    const { order, reference } = await orderedInVain(await scene.stack.product('35.00'));
    list(reference);
    await scene.report();
    expect(await namesOf(order)).toEqual(['S-9']);
    list(reference, 'S-7', 'S-8');
    await scene.report();
    expect(await namesOf(order)).toEqual(['S-7', 'S-8', 'S-9']);
    await scene.report();
    expect(await namesOf(order)).toHaveLength(3);
    const { order: other, reference: ofOther } = await orderedInVain(await scene.stack.product('35.00'));
    list(ofOther);
    await scene.report();
    const file = scene.statement('reference,supplier_reference,status', `${ofOther},S-renamed,Sukses`);
    await scene.report('--statement', file);
    expect(await casesOf(other)).toMatchObject([{ supplier_reference: 'S-9' }]);
  });

  it('opens a discrepancy also from a statement that has only the supplier’s reference', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    const { order_number } = order;
    await scene.stack.fill(`
      SET session_replication_role = 'replica';
      UPDATE unit_attempts SET supplier_reference = 'S-${order_number}' WHERE reference = '${reference}'`);
    const file = scene.statement('supplier_reference,status', `S-${order_number},Sukses`);
    expect(await scene.report('--statement', file)).toMatchObject({ ok: false, surplus: 1 });
    expect(await casesOf(order)).toMatchObject([
      { order_number, kind: 'bought_late', detail: 'statement.csv, line 2: Sukses' },
    ]);
  });

  it('opens none from such a statement if the unit succeeded with the first answer', async () => {
    const { reference_id } = await scene.stack.order(
      scene.merchant,
      [{ sku: await scene.stack.product('35.00') }],
      unique('player'),
    );
    const { order_number } = await scene.stack.orderWith(scene.merchant, reference_id, 'completed');
    const nobodys = unique('S-nobody');
    const file = scene.statement('supplier_reference,status', `S-${order_number}.1.1,Sukses`, `${nobodys},Sukses`);
    await scene.report('--statement', file);
    const unknown = (await scene.openDiscrepancies()).filter(({ kind }) => kind === 'unknown_purchase');
    expect(unknown).toMatchObject([{ supplier_reference: nobodys }]);
  });

  it('opens a discrepancy when a worker reads the list, which counts it', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    list(reference);
    await scene.stack.sql(`UPDATE suppliers SET purchases_due_at = NULL`);
    const worker = await scene.stack.startWorker({ SUPPLIER_PURCHASES_INTERVAL_MS: 200 });
    const [found] = await eventually(
      () => casesOf(order),
      ({ length }) => length > 0,
    );
    expect(found).toMatchObject({ order_number: order.order_number, kind: 'bought_late' });
    const counted = async (): Promise<number | undefined> =>
      (await worker.get(Metrics).registry.getSingleMetric('topup_supplier_contradictions_total')?.get())?.values.find(
        ({ labels }) => labels.supplier === 'fake',
      )?.value;
    await eventually(counted, (count) => count === 1);
  });
});

describe('topup report supplier', () => {
  it('also queries attempts that others followed: a sold one is a difference and a discrepancy', async () => {
    const { order, reference } = await orderedInVain(await productOfBoth());
    const before = await scene.report();
    expect(before.given_up).toBeGreaterThan(0);
    expect(before.differences.map((each) => each.reference)).not.toContain(reference);
    scene.stack.supplier.script(order.order_number, () => bought(reference));
    scene.stack.supplier.script(scene.stack.supplier.about(order.order_number)[0]?.body?.user_id ?? '', () =>
      bought(reference),
    );
    const after = await scene.report();
    expect(after).toMatchObject({ ok: false, agreed: before.agreed - 1 });
    expect(after.differences).toContainEqual({
      reference,
      ours: 'failed',
      theirs: 'succeeded',
      amount: '35.00',
    });
    expect(await casesOf(order)).toMatchObject([
      { order_number: order.order_number, kind: 'bought_late', detail: 'found by topup report supplier' },
    ]);
  });
});

describe('a purchase that its supplier lists as in progress', () => {
  it.each(['failed', 'completed'])('is checked until it ends, if its order has %s without it', async (status) => {
    const { stack } = scene;
    const sku = status === 'failed' ? await stack.product('35.00') : await productOfBoth();
    const { order, reference, user } = await orderedInVain(sku);
    expect(order.status).toBe(status);
    const inProgress = { reference, status: 'processing', supplier_reference: 'S-9' };
    stack.supplier.script(user, () => ({ status: 200, body: inProgress }));
    stack.supplier.purchases = () => ({ status: 200, body: { data: [inProgress], next_cursor: null } });
    expect(await scene.report()).toMatchObject({ surplus: 0 });
    expect(await casesOf(order)).toEqual([]);
    stack.supplier.script(user, () => bought(reference));
    const found = await eventuallyChecked(
      stack,
      () => casesOf(order),
      ({ length }) => length > 0,
    );
    expect(found).toMatchObject([{ kind: 'bought_late', supplier: 'fake', supplier_reference: `S-${reference}` }]);
  });
});
