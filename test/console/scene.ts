import { TestStack, type TestMerchant } from '../support/stack.js';
import { ConsoleStack } from './console-stack.js';

/** The whole service with a console beside it, on one database. */
export interface Scene {
  stack: TestStack;
  console: ConsoleStack;
  merchant: TestMerchant;
  sku: string;
  close(): Promise<void>;
}

/** @param env of the whole service, and of its console. @param options of the console. */
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
    ...{ stack, console, merchant, sku },
    async close() {
      await console.close();
      await stack.close();
    },
  };
}

/** An order that was bought, of which its supplier then says that it was not. @returns the id of the case. */
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
