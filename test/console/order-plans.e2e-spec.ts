import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_BIGINT } from '../../src/core/pagination.js';
import type { Statement } from '../../src/database/database.js';
import {
  countPaths,
  isContradiction,
  lastScanned,
  MAX_SCANNED,
  pageOfOrders,
  pathsOf,
  type PageFilter,
  type PageQuery,
} from '../../src/support/order-search.sql.js';
import { TestStack } from '../support/stack.js';

const LIMIT = 51;
const ORDERS = 18_000;
/** One order in this many failed. */
const FAILED = 3;
/** The newest orders are open, as if they waited for a paused supplier. */
const PENDING = 3_000;

interface Node {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

let stack: TestStack;
type Parts = { [Part in keyof PageFilter]-?: PageFilter[Part][] };
let parts: Parts;
/** With several values in each part that takes them. */
let several: Parts;

beforeAll(async () => {
  stack = await TestStack.start({}, { worker: false });
  const [few, many] = [await stack.merchant('0.00'), await stack.merchant('0.00')];
  const [rare, sku] = [await stack.product('1.00'), await stack.product('1.00')];
  const [supplier] = await stack.sql<{ id: number }>(`SELECT id FROM suppliers WHERE code = 'fake'`);
  await stack.fill(
    `WITH placed AS (
       INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, failure_code,
         subtotal_amount, discount_amount, total_amount, open_items, created_at, updated_at)
       SELECT CASE WHEN n = 1 THEN $1::int ELSE $2::int END, 'plan_' || n, 'plan-' || n, '', 'planned',
              CASE WHEN n > ${ORDERS - PENDING} THEN 'pending' WHEN n = 1 THEN 'processing'
                   WHEN n % ${FAILED} = 0 THEN 'failed' ELSE 'completed' END,
              CASE WHEN n <= ${ORDERS - PENDING} AND n % ${FAILED} = 0 THEN 'OUT_OF_STOCK' END, 1, 0, 1,
              CASE WHEN n > ${ORDERS - PENDING} OR n = 1 THEN 1 ELSE 0 END,
              now() - (${ORDERS} - n) * interval '1 minute', now()
       FROM generate_series(1, ${ORDERS}) n RETURNING id, merchant_id)
     INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku, status,
       completed_quantity)
     SELECT id, 1, CASE merchant_id WHEN $1 THEN $3 ELSE $4 END, 1, 1, 1, $5, 'x', 'completed', 1 FROM placed`,
    [few.id, many.id, rare, sku, supplier?.id],
  );
  await stack.fill('ANALYZE');
  parts = {
    statuses: [undefined, ['failed'], ['completed'], ['processing']],
    merchantIds: [undefined, [few.id], [many.id]],
    sku: [undefined, rare, sku],
    supplierIds: [undefined, [supplier?.id ?? 0], [-1]],
    failureCodes: [undefined, ['OUT_OF_STOCK'], ['INVALID_PLAYER']],
    createdFrom: [undefined],
    createdTo: [undefined, new Date(Date.now() - (ORDERS - 3 * MAX_SCANNED) * 60_000)],
    ids: [undefined],
  };
  several = {
    ...parts,
    statuses: [undefined, ['failed', 'pending']],
    merchantIds: [undefined, [few.id, many.id]],
    sku: [undefined, sku],
    supplierIds: [undefined, [-1, supplier?.id ?? 0]],
    failureCodes: [undefined, ['OUT_OF_STOCK', 'INVALID_PLAYER']],
  };
});
afterAll(() => stack.close());

/** Every combination of the filters of a list. */
function filtersOf(of: Parts): PageFilter[] {
  const names = Object.keys(of) as (keyof PageFilter)[];
  return names
    .reduce<PageFilter[]>(
      (all, name) => all.flatMap((filter) => of[name].map((part) => ({ ...filter, [name]: part }))),
      [{}],
    )
    .filter((filter) => !isContradiction(filter));
}

/** The number of orders and items that a statement reads. */
async function reads({ text }: Statement, values: unknown[]): Promise<number> {
  const [row] = await stack.sql<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    `EXPLAIN (ANALYZE, TIMING off, FORMAT JSON) ${text}`,
    values,
  );
  const readBy = (node: Node): number =>
    (node['Relation Name']?.startsWith('order') ? node['Actual Loops'] : 0) *
      (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) +
    (node.Plans ?? []).reduce((sum, each) => sum + readBy(each), 0);
  return row ? readBy(row['QUERY PLAN'][0].Plan) : NaN;
}

describe('the list of orders', () => {
  it('reads a bounded number of orders, with any filter and any index', async () => {
    const tooMany: unknown[] = [];
    const check = async (filter: PageFilter, what: string, atMost: number, asked: ReturnType<typeof countPaths>) => {
      const read = await reads(asked.statement, asked.values);
      if (!(read <= atMost)) tooMany.push([what, filter, read]);
    };
    for (const filter of [...filtersOf(parts), ...filtersOf(several)]) {
      const place = { firstId: 0n, endId: MAX_BIGINT, after: null, limit: LIMIT };
      const query: PageQuery = { ...filter, ...place };
      const paths = pathsOf(filter);
      // The orders that it reads, and the items of each.
      const most = paths[0] === 'all' ? ORDERS : 4 * MAX_SCANNED;
      for (const path of paths) {
        await check(filter, path, most, pageOfOrders(path, query));
        if (path !== 'all') await check(filter, `${path} to its end`, MAX_SCANNED + 1, lastScanned(path, query));
      }
      if (paths.length > 1) await check(filter, 'counting', paths.length * MAX_SCANNED, countPaths(paths, query));
    }
    expect(tooMany).toEqual([]);
  });

  it.each<[string, (one: Parts, several: Parts) => PageFilter, number]>([
    ['of all', () => ({}), 2 * LIMIT],
    ['of a merchant', ({ merchantIds }) => ({ merchantIds: merchantIds[2] }), LIMIT],
    ['of two merchants', (_one, { merchantIds }) => ({ merchantIds: merchantIds[1] }), LIMIT + 2],
    ['of a product', ({ sku }) => ({ sku: sku[2] }), 2 * LIMIT],
    ['of a supplier', ({ supplierIds }) => ({ supplierIds: supplierIds[1] }), 2 * LIMIT],
    ['of two suppliers', (_one, { supplierIds }) => ({ supplierIds: supplierIds[1] }), 2 * LIMIT],
    ['that failed', () => ({ statuses: ['failed'] }), 2 * LIMIT],
    ['with a failure code', () => ({ failureCodes: ['OUT_OF_STOCK'] }), LIMIT],
    ['with one of two failure codes', () => ({ failureCodes: ['OUT_OF_STOCK', 'INVALID_PLAYER'] }), LIMIT + 2],
  ])('reads only the orders of a page %s', async (_what, filterOf, atMost) => {
    const filter = filterOf(parts, several);
    const [path] = pathsOf(filter);
    const query = { ...filter, firstId: 0n, endId: MAX_BIGINT, after: null, limit: LIMIT };
    const { statement, values } = pageOfOrders(path, query);
    expect(await reads(statement, values)).toBeLessThanOrEqual(atMost);
  });
});
