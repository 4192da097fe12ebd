import { AttemptAnswersService } from '../../src/fulfilment/attempt-answers.service.js';
import { bought, refused } from '../support/fake-supplier.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { eventually } from '../support/eventually.js';
import { ConsoleStack, type TestOperator } from './console-stack.js';

/** The whole service and a console, with one database. */
export interface Scene {
  stack: TestStack;
  console: ConsoleStack;
  merchant: TestMerchant;
  sku: string;
  close(): Promise<void>;
}

/** @param env of the whole service and its console. @param options of the console. */
export async function startScene(
  env: Record<string, string> = {},
  options: { pagesFrom?: string } = {},
): Promise<Scene> {
  const stack = await TestStack.start(env);
  const { DATABASE_POOL_SIZE: _size, ...config } = stack.config;
  const console = await ConsoleStack.start(
    {
      DATABASE_URL: config.DATABASE_URL,
      SECRETS_KEY: config.secretsKey?.toString('base64') ?? '',
      ...Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('CONSOLE_'))),
    },
    options,
  );
  const merchant = await stack.merchant('10000.00');
  const sku = await stack.product('35.00');
  return {
    stack,
    console,
    merchant,
    sku,
    async close() {
      await console.close();
      await stack.close();
    },
  };
}

/** A completed order whose supplier then reports a failure. @returns the id of the discrepancy. */
export async function contradict({ stack, console, merchant, sku }: Scene): Promise<number> {
  const order = await stack.order(merchant, [{ sku }]);
  await stack.orderWith(merchant, order.reference_id, 'completed');
  const [row] = await console.sql<{ id: number }>(
    `INSERT INTO supplier_reversals (order_id, item, unit, supplier_id, kind, detail, cost_micros, cost_currency, created_at)
     SELECT u.order_id, u.item, u.unit, u.supplier_id, 'taken_back', 'refunded by the game', 29500000, 'THB', now()
     FROM order_units u JOIN orders o ON o.id = u.order_id WHERE o.order_number = $1 RETURNING id`,
    [order.order_number],
  );
  if (!row) throw new Error('the case was not written');
  return row.id;
}

/** An order of a code that its supplier refused. */
export async function refusedOrder({ stack, merchant }: Scene): Promise<OrderBody> {
  const player = unique('buyer');
  stack.supplier.script(player, ({ reference }) => refused(reference, 'OUT_OF_STOCK'));
  const sku = await stack.product('35.00', { kind: 'code' });
  const order = await stack.order(merchant, [{ sku }], player);
  return stack.orderWith(merchant, order.reference_id, 'failed');
}

/** Makes the supplier of such an order report a late success, with a code or without one yet. */
export async function sellLate(
  { stack, merchant }: Scene,
  { order_number }: OrderBody,
  code: string | null,
): Promise<void> {
  const [order] = await stack.sql<{ id: bigint }>('SELECT id FROM orders WHERE order_number = $1', [order_number]);
  if (!order) throw new Error('there is no such order');
  const deliveries = code === null ? [] : [{ serial: 'SER-9', code, expiresOn: '2027-12-31' }];
  await stack.api.get(AttemptAnswersService).settle({
    key: { orderId: order.id, item: 1, unit: 1 },
    merchantId: merchant.id,
    kind: 'code',
    by: { kind: 'report', attempt: 1 },
    sent: { adapter: 'http', times: 1 },
    calls: [],
    outcome: { kind: 'succeeded', supplierReference: 'S-late', deliveries },
  });
}

/** Adds a later attempt, in doubt like the first one, to an order's only unit. @param at the supplier. */
export async function triedAgain(
  { stack, console }: Scene,
  { order_number }: Pick<OrderBody, 'order_number'>,
  at: string,
): Promise<void> {
  // The supplier has never seen its player.
  stack.supplier.script(order_number, () => ({ status: 503 }));
  await console.sql(
    `WITH moved AS (
       UPDATE order_units u SET attempt = u.attempt + 1, supplier_id = s.id
       FROM orders o, suppliers s
       WHERE o.order_number = $1 AND u.order_id = o.id AND s.code = $2
       RETURNING u.order_id, u.item, u.unit, u.attempt, u.supplier_id)
     INSERT INTO unit_attempts (order_id, item, unit, number, supplier_id, supplier_sku, reference, created_at)
     SELECT order_id, item, unit, attempt, supplier_id, 'SKU', $1 || '.1.1.2', now() FROM moved`,
    [order_number, at],
  );
}

/**
 * Adds another supplier of a product, at the address of the fake one.
 * @param cost of a unit in whole baht; undefined if unknown.
 */
export async function sellAlsoAt(
  { stack }: Scene,
  sku: string,
  supplier: string,
  { priority, cost, isPaused = false }: { priority: number; cost?: number; isPaused?: boolean },
): Promise<void> {
  await stack.addSupplier(supplier, stack.supplier.url);
  if (isPaused)
    await stack.sql(`UPDATE suppliers SET pause_reason = 'operator', paused_at = now() WHERE code = $1`, [supplier]);
  await stack.sql(
    `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority, cost_micros, cost_currency, cost_at)
     SELECT p.id, s.id, $2 || '-sku', $3, $4::bigint * 1000000, CASE WHEN $4::bigint IS NOT NULL THEN 'THB' END, now()
     FROM products p, suppliers s WHERE p.sku = $1 AND s.code = $2`,
    [sku, supplier, priority, cost ?? null],
  );
}

/** An order whose units the first supplier refuses and the next one sells. */
export async function refusedAtFirst({ stack, merchant }: Scene, sku: string): Promise<OrderBody> {
  const user = unique('refused');
  stack.supplier.script(user, ({ reference }) =>
    reference.split('.').length > 3 ? bought(reference) : refused(reference, 'OUT_OF_STOCK', 'Sold out'),
  );
  const order = await stack.order(merchant, [{ sku }], user);
  return stack.orderWith(merchant, order.reference_id, 'completed');
}

/** An order with units in doubt, whose supplier reports no outcome. @param price of a unit, in baht. */
export async function inDoubt(
  { stack, merchant }: Scene,
  { browser }: TestOperator,
  { quantity = 1, price = '35.00', supplier = 'fake', from = merchant } = {},
): Promise<OrderBody> {
  const user = unique('doubtful');
  stack.supplier.script(user, ({ kind }) => (kind === 'send' ? 'drop' : { status: 503 }));
  const sku = await stack.product(price, { supplier });
  const order = await stack.order(from, [{ sku, quantity }], user);
  await eventually(
    async () =>
      (await browser.get<{ units: { can_resolve: boolean }[] }>(`/api/orders/${order.order_number}`)).body.units,
    (units) => units.every(({ can_resolve }) => can_resolve),
  );
  return order;
}
