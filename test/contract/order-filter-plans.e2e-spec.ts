import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pageOf, type OrderPage, type PageFilter } from '../../src/orders/orders.repository.js';
import { TestStack } from '../support/stack.js';

let stack: TestStack;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
});

afterAll(() => stack.close());

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}
const flatten = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flatten)];

const FIRST_PAGE: Omit<OrderPage, 'merchantId' | 'filter'> = {
  after: null,
  createdFrom: null,
  createdTo: null,
  limit: 21,
};

/** The indexes by which a page reads orders, and how many rows it reads, with PostgreSQL's generic plan. */
async function readsOf(merchantId: number, filter: PageFilter): Promise<{ indexes: string[]; rows: number }> {
  const { statement, values } = pageOf({ ...FIRST_PAGE, merchantId, filter });
  const client = await stack.database.pool.connect();
  await client.query('SET plan_cache_mode = force_generic_plan');
  const { rows: plans } = await client.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}`,
    values,
  );
  client.release(true);
  const nodes = flatten(plans[0]?.['QUERY PLAN'][0].Plan as Node).filter((node) => node['Relation Name'] === 'orders');
  const read = (node: Node): number =>
    ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 1);
  return {
    indexes: nodes.map((node) => node['Index Name'] ?? node['Node Type']),
    rows: nodes.map(read).reduce((sum, each) => sum + each, 0),
  };
}

describe('a page of filtered orders', () => {
  let big: number;

  beforeAll(async () => {
    const ordersOf = (merchantId: number, count: number): Promise<void> =>
      stack.fill(
        `INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, subtotal_amount,
                             discount_amount, total_amount, open_items, status, created_at, updated_at)
         SELECT $1::int, 'ord_' || $1::int || '_' || n, 'r-' || n, '', 'user-' || n % 500, 0, 0, 0, 0, 'completed',
                now() - n * interval '1 s', now() FROM generate_series(1, $2) AS n`,
        [merchantId, count],
      );
    const [{ id }, { id: filled }] = await Promise.all([stack.merchant('0.00'), stack.merchant('0.00')]);
    await ordersOf(id, 20_000);
    await ordersOf(filled, 5_000);
    await stack.fill('ANALYZE orders');
    big = id;
  });
  it.each<[name: string, filter: PageFilter, index: string]>([
    ['order number', { orderNumber: 'ord_1_77' }, 'uq_orders_order_number'],
    ['reference', { referenceId: 'r-77' }, 'uq_orders_merchant_reference'],
    ['user', { userId: 'user-77' }, 'ix_orders_user'],
    ['user and status', { userId: 'user-77', status: 'completed' }, 'ix_orders_user'],
    ['all', { orderNumber: 'ord_1_77', referenceId: 'r-77', userId: 'user-77' }, 'uq_orders_merchant_reference'],
  ])('by %s reads only the matching rows', async (_name, filter, index) => {
    const { indexes, rows } = await readsOf(big, filter);
    expect(indexes).toEqual([index]);
    expect(rows).toBeLessThanOrEqual(41);
  });
});
