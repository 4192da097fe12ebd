import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listOrders, type ListFilter } from '../../src/support/order-search.sql.js';
import { refused } from '../support/fake-supplier.js';
import { TestStack, type OrderBody, type TestMerchant } from '../support/stack.js';
import { CommandLine } from './command-line.js';

let stack: TestStack;
let commandLine: CommandLine;

afterAll(() => stack.close());

beforeAll(async () => {
  stack = await TestStack.start();
  commandLine = new CommandLine({ DATABASE_URL: stack.config.DATABASE_URL });
});

describe('topup order list', () => {
  let shop: TestMerchant;
  let other: TestMerchant;
  let failed: OrderBody;
  let mixed: OrderBody;
  let elsewhere: OrderBody;
  let skus: { common: string; special: string };

  beforeAll(async () => {
    [shop, other] = [await stack.merchant(), await stack.merchant()];
    await stack.addSupplier('second', stack.supplier.url);
    const special = await stack.product('2.00', { supplier: 'second' });
    skus = { common: await stack.product('1.00'), special };
    stack.supplier.script('unlucky', ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
    failed = await stack.order(shop, [{ sku: skus.common }], 'unlucky');
    mixed = await stack.order(shop, [{ sku: skus.special }, { sku: skus.common }, { sku: skus.special }]);
    elsewhere = await stack.order(other, [{ sku: skus.common }], 'player-2');
    for (const [merchant, { reference_id }] of [
      [shop, failed],
      [shop, mixed],
      [other, elsewhere],
    ] as const)
      await stack.orderWith(merchant, reference_id, 'completed', 'failed');
    await placedOn({ [failed.order_number]: 1, [mixed.order_number]: 2, [elsewhere.order_number]: 3 });
  });

  /** Changes ended orders. Triggers are off, because they refuse this. */
  async function placedOn(days: Record<string, number>): Promise<void> {
    const client = await stack.database.pool.connect();
    await client.query(`BEGIN; SET LOCAL session_replication_role = 'replica'`);
    for (const [orderNumber, day] of Object.entries(days))
      await client.query(`UPDATE orders SET created_at = $2 WHERE order_number = $1`, [
        orderNumber,
        `2026-01-0${day}T00:00:00Z`,
      ]);
    await client.query('COMMIT');
    client.release();
  }

  /** The listed orders, newest first, by their names in this test. */
  async function listed(...options: string[]): Promise<string[]> {
    const orders = await commandLine.json<OrderBody[]>('order', 'list', ...options);
    const names = {
      [failed.order_number]: 'failed',
      [mixed.order_number]: 'mixed',
      [elsewhere.order_number]: 'elsewhere',
    };
    return orders.map(({ order_number }) => names[order_number] ?? order_number);
  }

  it.each<[string, () => string[], string[]]>([
    ['merchant', () => ['--merchant', String(shop.id)], ['mixed', 'failed']],
    ['player', () => ['--user-id', 'unlucky'], ['failed']],
    ['product, once each', () => ['--sku', skus.special], ['mixed']],
    ['product of several', () => ['--sku', skus.common], ['elsewhere', 'mixed', 'failed']],
    ['supplier', () => ['--supplier', 'second'], ['mixed']],
    ['reference', () => ['--reference', elsewhere.reference_id], ['elsewhere']],
    ['reference of another merchant', () => ['--reference', elsewhere.reference_id, '--merchant', String(shop.id)], []],
    ['failure code', () => ['--failure-code', 'OUT_OF_STOCK'], ['failed']],
    ['first moment, which counts', () => ['--created-from', '2026-01-02'], ['elsewhere', 'mixed']],
    ['last moment, which does not', () => ['--created-to', '2026-01-02T00:00:00Z'], ['failed']],
    ['range', () => ['--created-from', '2026-01-02', '--created-to', '2026-01-03'], ['mixed']],
    ['status', () => ['--status', 'completed'], ['elsewhere', 'mixed']],
    ['number', () => ['--limit', '1'], ['elsewhere']],
    [
      'everything at once',
      () => [
        '--merchant',
        String(shop.id),
        '--user-id',
        'unlucky',
        '--sku',
        skus.common,
        '--supplier',
        'fake',
        '--reference',
        failed.reference_id,
        '--created-from',
        '2026-01-01',
        '--created-to',
        '2026-01-02',
        '--failure-code',
        'OUT_OF_STOCK',
        '--status',
        'failed',
        '--older-than',
        '1s',
      ],
      ['failed'],
    ],
    ['what nothing is', () => ['--sku', skus.special, '--failure-code', 'OUT_OF_STOCK'], []],
  ])('filters by %s', async (_what, options, expected) => {
    expect(await listed(...options())).toEqual(expected);
  });

  it('refuses unknown and invalid values', async () => {
    await commandLine.refusedAll([
      [['order', 'list', '--merchant', '99'], /there is no merchant 99/],
      [['order', 'list', '--supplier', 'nobody'], /there is no supplier nobody: topup supplier list shows them/],
      [['order', 'list', '--supplier', ''], /there is no supplier : topup/],
      [['order', 'list', '--failure-code', 'BROKEN'], /It must be one of INVALID_PLAYER, .+PARTIALLY_COMPLETED/],
      [['order', 'list', '--created-from', '2026-01-02', '--created-to', '2026-01-02'], /--created-to must be later/],
    ]);
  });
});

describe('topup order list, with many orders', () => {
  const ORDERS = 50_000;
  const RARE_ORDERS = 5;
  let ids: { merchant: number; ofPlayer7: number; busy: number; rare: number };

  beforeAll(async () => {
    const merchants = await Promise.all(Array.from({ length: 10 }, () => stack.merchant('0')));
    await stack.addSupplier('busy', stack.supplier.url);
    await stack.addSupplier('rare', stack.supplier.url);
    const suppliers = await stack.sql<{ id: number; code: string }>(`SELECT id, code FROM suppliers`);
    const idOf = (code: string): number => suppliers.find((each) => each.code === code)?.id ?? 0;
    ids = {
      merchant: merchants[0]?.id ?? 0,
      ofPlayer7: merchants[7]?.id ?? 0,
      busy: idOf('busy'),
      rare: idOf('rare'),
    };
    // Rare rows are old, so a scan that starts at the newest order would take long to find them.
    await stack.fill(
      `WITH numbered AS (SELECT n, n <= $2 AS rare FROM generate_series(1, ${ORDERS}) n),
       placed AS (
         INSERT INTO orders (merchant_id, order_number, reference_id, content_hash, user_id, status, subtotal_amount,
                             discount_amount, total_amount, open_items, failure_code, created_at, updated_at)
         SELECT ($1::int[])[1 + n % 10], 'ord_' || n, 'many-' || n, '', CASE WHEN rare THEN 'rare' ELSE 'player-' || n % 500 END,
                CASE WHEN rare OR n % 10 = 0 THEN 'failed' WHEN n % 5000 = 1 THEN 'processing' ELSE 'completed' END, 100, 0, 100,
                CASE WHEN NOT rare AND n % 10 <> 0 AND n % 5000 = 1 THEN 1 ELSE 0 END,
                CASE WHEN rare THEN 'ITEM_NOT_FOUND' WHEN n % 10 = 0 THEN 'OUT_OF_STOCK' END,
                now() - interval '100 days' + n * interval '1 minute', now()
         FROM numbered ORDER BY n RETURNING id, order_number, status, failure_code)
       INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku, status,
                                completed_quantity, failed_quantity, failure_code)
       SELECT placed.id, 1, CASE WHEN n <= $2 THEN 'RARE' ELSE 'SKU-' || n % 20 END, 1, 100, 100,
              CASE WHEN n <= $2 THEN $4::int ELSE $3::int END, 'X', status, (status = 'completed')::int,
              (status = 'failed')::int, failure_code
       FROM placed, substr(order_number, 5) AS digits, cast(digits AS int) AS n`,
      [merchants.map(({ id }) => id), RARE_ORDERS, ids.busy, ids.rare],
    );
    await stack.fill('ANALYZE');
  });

  interface Node {
    'Index Name'?: string;
    'Shared Hit Blocks': number;
    'Shared Read Blocks': number;
    'Actual Rows': number;
    Plans?: Node[];
  }

  /** The indexes that the listing uses, and the number of pages that it reads. */
  async function plan(filter: Omit<ListFilter, 'limit'>): Promise<{ indexes: string[]; pages: number; rows: number }> {
    const { statement, values } = listOrders({ ...filter, limit: 100 });
    const [answer] = await stack.sql<{ 'QUERY PLAN': { Plan: Node }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement.text}`,
      values,
    );
    const root = answer?.['QUERY PLAN'][0]?.Plan as Node;
    const indexesOf = (node: Node): string[] => [
      ...(node['Index Name'] === undefined ? [] : [node['Index Name']]),
      ...(node.Plans ?? []).flatMap(indexesOf),
    ];
    const pages = root['Shared Hit Blocks'] + root['Shared Read Blocks'];
    return { indexes: indexesOf(root), pages, rows: root['Actual Rows'] };
  }

  const longAgo = (): Pick<ListFilter, 'createdFrom' | 'createdTo'> => ({
    createdFrom: new Date(Date.now() - 99 * 86_400_000),
    createdTo: new Date(Date.now() - 98 * 86_400_000),
  });

  it.each<[string, () => Omit<ListFilter, 'limit'>, string, number]>([
    ['nothing', () => ({}), 'ix_orders_newest', 100],
    ['a merchant', () => ({ merchantId: ids.merchant }), 'ix_orders_newest', 100],
    ['a reference', () => ({ reference: 'many-1' }), 'uq_orders_merchant_reference', 1],
    ['a rare player', () => ({ userId: 'rare' }), 'ix_orders_user', RARE_ORDERS],
    ['a busy player', () => ({ userId: 'player-7' }), 'ix_orders_user', 100],
    ['a rare product', () => ({ sku: 'RARE' }), 'ix_order_items_sku', RARE_ORDERS],
    ['a usual product', () => ({ sku: 'SKU-7' }), 'ix_order_items_sku', 100],
    ['a rare supplier', () => ({ supplierIds: [ids.rare] }), 'ix_order_items_supplier', RARE_ORDERS],
    ['a busy supplier', () => ({ supplierIds: [ids.busy] }), 'ix_order_items_supplier', 100],
    ['a rare failure', () => ({ failureCodes: ['ITEM_NOT_FOUND'] }), 'ix_orders_failure', RARE_ORDERS],
    ['a usual failure', () => ({ failureCodes: ['OUT_OF_STOCK'] }), 'ix_orders_failure', 100],
    ['a time long ago', longAgo, 'ix_orders_newest', 100],
    ['open orders', () => ({ statuses: ['processing'] }), 'ix_orders_open', 9],
    ['failed orders', () => ({ statuses: ['failed'] }), 'ix_orders_failed', 100],
    ['a player of a merchant', () => ({ userId: 'player-7', merchantIds: [ids.ofPlayer7] }), 'ix_orders_user', 100],
    ['a failure long ago', () => ({ failureCodes: ['OUT_OF_STOCK'], ...longAgo() }), 'ix_orders_failure', 100],
    ['a product long ago', () => ({ sku: 'SKU-7', ...longAgo() }), 'ix_order_items_sku', 72],
    ['a supplier long ago', () => ({ supplierIds: [ids.busy], ...longAgo() }), 'ix_order_items_supplier', 100],
  ])('finds %s by an index, and reads few pages', async (_what, filter, index, rows) => {
    const found = await plan(filter());
    expect(found).toMatchObject({ rows, indexes: expect.arrayContaining([index]) as unknown as string[] });
    expect(found.pages).toBeLessThan(1_500);
  });
});
