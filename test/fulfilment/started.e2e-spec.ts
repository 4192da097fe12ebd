import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_BIGINT } from '../../src/core/pagination.js';
import type { BoundStatement } from '../../src/database/database.js';
import { CLAIM_UNITS } from '../../src/fulfilment/claim.sql.js';
import { UNDO_CLAIMS } from '../../src/fulfilment/units.repository.js';
import { LIST_ITEMS_OF } from '../../src/orders/orders.repository.js';
import { listOrders, pageOfOrders, type AccessPath } from '../../src/support/order-search.sql.js';
import type { Page } from '../support/pages.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';

const OPEN = ['pending', 'processing'] as const;

let stack: TestStack;
let merchant: TestMerchant;
let supplierId: number;
let skus: string[];

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  merchant = await stack.merchant('1000.00');
  skus = [await stack.product('1.00'), await stack.product('2.00')];
  const [supplier] = await stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = 'fake'`);
  supplierId = supplier?.id ?? 0;
});
afterAll(() => stack.close());

const place = (): Promise<OrderBody> =>
  stack.order(
    merchant,
    skus.map((sku) => ({ sku })),
  );

const read = async ({ reference_id }: OrderBody): Promise<OrderBody> =>
  (await merchant.client.get<OrderBody>(`/v1/orders/${reference_id}`)).body;

/** Claims one unit, as a worker does. */
async function claimOne(): Promise<void> {
  const adapter = { adapter: 'http', inquiry_may_buy: false, min_gap_ms: 0, max_age_ms: null };
  const [statement, values] = CLAIM_UNITS.with({
    suppliers: [{ supplier_id: supplierId, free_slots: 1, from_merchant: 0, from_used: 0 }],
    adapters: [{ ...adapter, inquires_by_supplier_reference: false, has_random_references: false }],
    total: 1,
    name: 'here/1',
    leaseMarginMs: 3_600_000,
    clockLimit: new Date('9999-12-31'),
  });
  expect(await stack.sql(statement.text, values)).toHaveLength(1);
}

/** When the first claim of a unit of the order was. */
async function startOf({ order_number }: OrderBody): Promise<string> {
  const [first] = await stack.sql<{ at: Date }>(
    `SELECT min(a.created_at) AS at FROM unit_attempts a JOIN orders o ON o.id = a.order_id WHERE o.order_number = $1`,
    [order_number],
  );
  return first?.at.toISOString() ?? '';
}

const run = async (asked: BoundStatement): Promise<string[]> =>
  (await stack.sql<{ order_number: string }>(asked.statement.text, asked.values)).map((row) => row.order_number);

describe('an order from the first claim on', () => {
  it('is processing since that moment, with those of its items that have been claimed', async () => {
    const order = await place();
    expect(await read(order)).toMatchObject({ status: 'pending', updated_at: order.created_at });
    await claimOne();
    const started = await startOf(order);
    expect(await read(order)).toMatchObject({
      status: 'processing',
      updated_at: started,
      items: [{ status: 'processing' }, { status: 'pending' }],
    });
    await claimOne();
    expect(await read(order)).toMatchObject({
      status: 'processing',
      updated_at: started,
      items: [{ status: 'processing' }, { status: 'processing' }],
    });
  });

  it('stays processing when its units are queued again', async () => {
    const order = await place();
    await claimOne();
    const before = await read(order);
    const [statement, values] = UNDO_CLAIMS.with({ names: ['here/1'], agoMs: 0n });
    await stack.sql(statement.text, values);
    expect(await read(order)).toEqual(before);
    await stack.sql(
      `UPDATE order_units SET next_action_at = now() + interval '1 day' WHERE next_action_at IS NOT NULL`,
    );
  });

  it('costs no write of the order or of an item', async () => {
    const { order_number } = await place();
    const versions = (): Promise<unknown> =>
      stack.sql(
        `SELECT o.xmin, o.status, i.xmin AS item_xmin, i.status AS item_status
         FROM orders o JOIN order_items i ON i.order_id = o.id WHERE order_number = $1 ORDER BY position`,
        [order_number],
      );
    const before = await versions();
    await claimOne();
    expect(await versions()).toEqual(before);
    await claimOne();
  });

  it('is in the lists of its status, and in no others', async () => {
    const [waiting, started] = [await place(), await place()];
    await stack.sql(
      `UPDATE order_units SET next_action_at = now() + interval '1 day'
       WHERE order_id IN (SELECT id FROM orders WHERE order_number = $1)`,
      [waiting.order_number],
    );
    await claimOne();
    const expected = { pending: waiting, processing: started };
    const isOneOfTheTwo = (found: string): boolean => [waiting, started].some((each) => each.order_number === found);
    const query = { merchantIds: [merchant.id] as const, firstId: 0n, endId: MAX_BIGINT, after: null, limit: 100 };
    for (const status of OPEN) {
      const { body } = await merchant.client.get<Page<OrderBody>>(`/v1/orders?status=${status}`);
      expect(body.data.every((each) => each.status === status)).toBe(true);
      const paths: AccessPath[] = ['open', 'merchant'];
      const lists = [
        body.data.map(({ order_number }) => order_number),
        await run(listOrders({ statuses: [status], limit: 100 })),
        ...(await Promise.all(paths.map((path) => run(pageOfOrders(path, { ...query, statuses: [status] }))))),
      ];
      for (const list of lists) expect(list.filter(isOneOfTheTwo)).toEqual([expected[status].order_number]);
    }
  });

  it('shows operators the same as its merchant', async () => {
    const order = await place();
    await claimOne();
    const shown = await read(order);
    const { statement, values } = listOrders({ reference: order.reference_id, limit: 1 });
    const [row] = await stack.sql<{ id: bigint; status: string; updated_at: Date }>(statement.text, values);
    expect({ ...row, updated_at: row?.updated_at.toISOString() }).toMatchObject({
      status: shown.status,
      updated_at: shown.updated_at,
    });
    const items = await stack.sql<{ status: string }>(LIST_ITEMS_OF.text, [[row?.id]]);
    expect(items.map(({ status }) => status)).toEqual(shown.items.map(({ status }) => status));
  });
});
