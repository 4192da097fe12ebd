import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import pg from 'pg';
import { ApiKeysService, type IssueOptions } from '../../src/auth/api-keys.service.js';
import { createApi } from '../../src/bootstrap.js';
import type { ProductDefinition } from '../../src/catalog/product-definition.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { loadConfig, type Config } from '../../src/core/config.js';
import { createLogger, NestLogger, type Logger } from '../../src/core/logger.js';
import { checkedBaht } from '../../src/core/money.js';
import { Database } from '../../src/database/database.js';
import { SchemaService } from '../../src/database/schema.service.js';
import { MerchantsService } from '../../src/merchants/merchants.service.js';
import { WalletService } from '../../src/wallet/wallet.service.js';
import { WorkerModule } from '../../src/worker.module.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { eventually } from './eventually.js';
import { FakeSupplier } from './fake-supplier.js';
import { Client } from './http.js';
import { KEEP_ALIVE_MS } from './keep-alive.js';
import { untilDone } from './until-served.js';

export interface TestMerchant {
  id: number;
  key: string;
  /** Calls the API with the merchant's key. */
  client: Client;
}

export interface OrderBody {
  order_number: string;
  reference_id: string;
  status: string;
  total_amount: string;
  failure_code: string | null;
  failure_message: string | null;
  updated_at: string;
  items: {
    status: string;
    completed_quantity: number;
    failed_quantity: number;
    failure_code: string | null;
  }[];
  [member: string]: unknown;
}

let names = 0;
/** A name that no other test uses. */
export const unique = (prefix: string): string => `${prefix}-${process.pid}-${++names}`;

async function listenAsApi(config: Config, logger: Logger): Promise<INestApplication> {
  const api = await createApi(config, logger);
  const server: Server = api.getHttpServer();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await api.listen(0, '127.0.0.1');
  return api;
}

/**
 * The whole service with its own database and Redis prefix: API and worker like their own processes, real sockets, and a
 * supplier that the test controls.
 */
export class TestStack {
  readonly supplier = new FakeSupplier();
  private workers: INestApplicationContext[] = [];

  private constructor(
    readonly config: Config,
    readonly logger: Logger,
    readonly api: INestApplication,
    private readonly testDatabase: TestDatabase,
  ) {}

  /** @param env changes of the tests' usual configuration. */
  static async start(
    env: Record<string, string> = {},
    options: { worker?: boolean; logTo?: { write(line: string): void } } = {},
  ): Promise<TestStack> {
    const testDatabase = await createTestDatabase();
    const loaded = loadConfig({
      NODE_ENV: 'test',
      DATABASE_URL: testDatabase.url,
      REDIS_URL: process.env.TEST_REDIS_URL,
      QUEUE_PREFIX: `{${randomBytes(6).toString('hex')}}`,
      SECRETS_KEY: randomBytes(32).toString('base64'),
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      RATE_LIMIT_PER_SECOND: '0',
      DATABASE_POOL_SIZE: '8',
      LOG_LEVEL: 'silent',
      ...env,
    });
    // A pool of a busy machine may have no connection within the service's own three seconds.
    const config = { ...loaded, connectTimeoutMs: 30_000 };
    const logger = createLogger(config, 'test', options.logTo);
    const api = await listenAsApi(config, logger);
    await api.get(SchemaService).whenReady();
    const stack = new TestStack(config, logger, api, testDatabase);
    await stack.supplier.listen();
    await stack.addSupplier('fake', stack.supplier.url);
    if (options.worker !== false) await stack.startWorker();
    return stack;
  }

  get url(): string {
    return this.urlOf(this.api);
  }

  urlOf(api: INestApplication): string {
    return `http://127.0.0.1:${((api.getHttpServer() as Server).address() as AddressInfo).port}`;
  }

  get database(): Database {
    return this.api.get(Database);
  }

  /** Starts another API on the same database, like a second process. The test closes it. @param changes of the configuration. */
  startApi(changes: Partial<Config> = {}): Promise<INestApplication> {
    return listenAsApi({ ...this.config, ...changes }, this.logger);
  }

  /** Starts another worker, like a second process. @param changes of the configuration. */
  async startWorker(changes: Partial<Config> = {}): Promise<INestApplicationContext> {
    const worker = await NestFactory.createApplicationContext(
      WorkerModule.register({ ...this.config, ...changes }, this.logger),
      {
        logger: new NestLogger(this.logger),
        abortOnError: false,
      },
    );
    this.workers.push(worker);
    // Until then, it drops wake-ups.
    await worker.get(SchemaService).whenReady();
    return worker;
  }

  async stopWorkers(): Promise<void> {
    const stopping = this.workers;
    this.workers = [];
    await Promise.all(stopping.map((worker) => worker.close()));
  }

  async close(): Promise<void> {
    // Once the supplier is closed, its hanging calls end at once.
    await Promise.all([this.stopWorkers(), this.supplier.close()]);
    await this.api.close();
    await this.testDatabase.drop();
  }

  /** A merchant with money and a key. @param balance in baht. */
  async merchant(balance = '1000.00', key: IssueOptions = {}, kind: { sandbox?: boolean } = {}): Promise<TestMerchant> {
    const { id } = await this.api.get(MerchantsService).create(unique('merchant'), undefined, kind);
    const amount = checkedBaht(balance);
    if (amount > 0n) await this.credit(id, balance);
    const issued = await this.api.get(ApiKeysService).issue(id, key);
    return { id, key: issued.key, client: new Client(this.url, issued.key) };
  }

  /** A merchant whose orders go to the built-in supplier of the sandbox. */
  sandboxMerchant(balance = '1000.00'): Promise<TestMerchant> {
    return this.merchant(balance, {}, { sandbox: true });
  }

  async credit(merchantId: number, amount: string): Promise<void> {
    const funding = {
      merchantId,
      amount: checkedBaht(amount),
      reference: unique('credit'),
      operator: 'test',
    };
    // A repetition under the same reference has no effect.
    await untilDone(() => this.api.get(WalletService).credit(funding));
  }

  /** A product of the fake supplier. @param price in baht. @returns its SKU. */
  async product(price = '35.00', definition: Partial<ProductDefinition> = {}): Promise<string> {
    const sku = definition.sku ?? unique('SKU');
    const product = {
      sku,
      name: `Product ${sku}`,
      price: checkedBaht(price),
      supplier: 'fake',
      ...definition,
    };
    await untilDone(() => this.api.get(ProductsService).set(product));
    return sku;
  }

  async addSupplier(code: string, baseUrl: string, timeoutMs = 10_000, token?: string): Promise<void> {
    const credentials: Record<string, string> = token === undefined ? {} : { token };
    const settings = { code, adapter: 'http', baseUrl, timeoutMs, credentials };
    await untilDone(() => this.api.get(SuppliersService).set(settings));
  }

  /** Places an order, and expects that the service accepts it, maybe after it was busy. */
  async order(
    merchant: TestMerchant,
    items: { sku: string; quantity?: number }[],
    userId = 'player-1',
  ): Promise<OrderBody> {
    const request = { reference_id: unique('order'), user_id: userId, items };
    const { status, body } = await merchant.client.post<OrderBody>('/v1/orders', request);
    if (status !== 200) throw new Error(`the order was refused: ${JSON.stringify(body)}`);
    return body;
  }

  /** Waits until an order has the status. */
  async orderWith(merchant: TestMerchant, referenceId: string, ...statuses: string[]): Promise<OrderBody> {
    const path = `/v1/orders/${encodeURIComponent(referenceId)}`;
    const ask = async (): Promise<OrderBody> => (await merchant.client.get<OrderBody>(path)).body;
    return eventually(ask, ({ status }) => statuses.includes(status));
  }

  async wallet(merchant: TestMerchant): Promise<{ available: string; held: string }> {
    const { body } = await merchant.client.get<{ available_amount: string; held_amount: string }>('/v1/wallet');
    return { available: body.available_amount, held: body.held_amount };
  }

  /** Runs a statement that may take longer than the service's own limits, such as to fill a table. */
  async fill(text: string, values: unknown[] = []): Promise<void> {
    const client = new pg.Client(this.config.DATABASE_URL);
    await client.connect();
    try {
      await client.query(text, values);
    } finally {
      await client.end();
    }
  }

  async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.database.pool.query<Row>(text, values)).rows;
  }
}
