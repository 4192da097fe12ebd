import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import { prepareDatabase } from '../../../tools/local-stack/seed.js';
import { createDataDir } from '../../../tools/local-stack/state.js';
import { createTestDatabase } from '../../support/database.js';
import { ConsoleStack, type TestOperator } from '../console-stack.js';
import { BUILT, launchBrowser, Visitor } from './chromium-browser.js';

/** A console with the data of a local stack's demo, and a browser. */
export interface DemoScene {
  stack: ConsoleStack;
  admin: TestOperator;
  arrive: (language?: 'en' | 'th') => Promise<Visitor>;
  /** The address of the newest order with a unit that fulfils the condition. */
  orderOf: (condition: string) => Promise<string>;
  /** The addresses of a merchant and of a webhook with failed deliveries. */
  merchant: string;
  webhook: string;
  close(): Promise<void>;
}

export async function startDemo(): Promise<DemoScene> {
  const database = await createTestDatabase();
  const directory = mkdtempSync(path.join(tmpdir(), 'topup-demo-'));
  createDataDir(directory);
  const env = { DATABASE_URL: database.url, SECRETS_KEY: randomBytes(32).toString('base64') };
  const ofService = { ...env, NODE_ENV: 'test', REDIS_URL: process.env.TEST_REDIS_URL };
  await prepareDatabase(ofService, directory, { url: 'http://127.0.0.1:9', token: 'simulated' });
  const [stack, browser]: [ConsoleStack, Browser] = await Promise.all([
    ConsoleStack.start(env, { pagesFrom: BUILT }),
    launchBrowser(),
  ]);
  const admin = await stack.signedIn('admin');
  const idOf = async (text: string): Promise<string> => String((await stack.sql<{ id: number }>(text))[0]?.id);
  return {
    stack,
    admin,
    arrive: (language = 'en') => Visitor.arrive(browser, stack, { language, as: admin }),
    orderOf: async (condition) => {
      const [order] = await stack.sql<{ order_number: string }>(
        `SELECT order_number FROM orders o JOIN order_units u ON u.order_id = o.id WHERE ${condition} ORDER BY o.id DESC LIMIT 1`,
      );
      return `/orders/${order?.order_number}`;
    },
    merchant: `/merchants/${await idOf(`SELECT id FROM merchants WHERE name LIKE 'TopSpeed%'`)}`,
    webhook: `/webhooks/${await idOf(`SELECT webhook_id AS id FROM webhook_deliveries WHERE status = 'failed' LIMIT 1`)}`,
    async close() {
      await browser.close();
      await stack.close();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
