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
