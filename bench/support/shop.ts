import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCatalog } from './catalog.js';
import { addInactiveWebhooks } from './filling.js';
import { percentile } from './figures.js';
import { loadOrders, orderBody } from './orders.js';
import { startStack, type BenchStack } from './stack.js';
import { createWallets, type Wallet } from './wallets.js';

const DURATION_MS = 3_000;
/** With fewer merchants, each has more orders. */
const MERCHANTS = Number(process.env.BENCH_MERCHANTS ?? 200);

/** Medians in ms, and orders per second. */
export interface ShopFigures {
  intake: number;
  get: number;
  page: number;
  through: number;
}

/** A stack with a supplier, merchants and a worker, which measures the speed of orders and reads. */
export class Shop {
  private constructor(
    readonly stack: BenchStack,
    readonly wallets: Wallet[],
    private readonly supplier: { disconnect(): void },
  ) {}

  /** @param settings of PostgreSQL, as in postgresql.conf. */
  static async open(settings: Record<string, string>): Promise<Shop> {
    const stack = await startStack({ WEBHOOK_LOG_DAYS: '0' }, settings);
    const supplier = await createCatalog(stack);
    const wallets = await createWallets(stack.database, MERCHANTS);
    await addInactiveWebhooks(stack.database, wallets);
    await stack.startWorker();
    return new Shop(stack, wallets, supplier);
  }

  async measure(): Promise<ShopFigures> {
    await this.stack.database.query('CHECKPOINT');
    const { perSecond, run } = await this.load();
    await this.untilQuiet();
    return {
      intake: perSecond,
      get: await this.timeGets(`/v1/orders/${run}-0`),
      page: await this.timeGets('/v1/orders?limit=20'),
      through: await this.timeThrough(),
    };
  }

  /** Places orders as fast as they are accepted, for one round. */
  load(): Promise<{ perSecond: number; run: string; placed: number }> {
    const { stack, wallets } = this;
    const asked = { url: stack.apiUrl, wallets, connections: 64, durationMs: DURATION_MS };
    return loadOrders(asked).then((loaded) => ({
      ...loaded,
      placed: Math.round((loaded.perSecond * DURATION_MS) / 1000),
    }));
  }

  /** Waits until no order is open. */
  async untilQuiet(): Promise<void> {
    const open = `SELECT 1 FROM orders WHERE status IN ('pending', 'processing') LIMIT 1`;
    while ((await this.stack.database.query(open)).rowCount) await delay(100);
  }

  /** Restarts PostgreSQL; the processes reconnect. */
  async restartPostgres(settings?: Record<string, string>): Promise<void> {
    await this.stack.restartPostgres(settings);
    while (!(await this.works())) await delay(100);
  }

  async bytes(): Promise<number> {
    const asked = 'SELECT pg_database_size(current_database()) AS bytes';
    const { rows } = await this.stack.database.query<{ bytes: string }>(asked);
    return Number(rows[0]?.bytes);
  }

  async close(): Promise<void> {
    this.supplier.disconnect();
    await this.stack.stop();
  }

  private async works(): Promise<boolean> {
    try {
      const { status } = await this.place(randomBytes(8).toString('hex'));
      await this.untilQuiet();
      return status === 200;
    } catch {
      return false;
    }
  }

  private async timeGets(path: string): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 300; n++) {
      const startedMs = performance.now();
      const response = await fetch(this.stack.apiUrl + path, { headers: { 'x-api-key': this.key } });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`GET ${path} answered ${response.status}`);
      times.push(performance.now() - startedMs);
    }
    return percentile(times, 0.5);
  }

  private async timeThrough(): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 60; n++) {
      const reference = randomBytes(8).toString('hex');
      const startedMs = performance.now();
      await this.place(reference);
      const ended = `SELECT 1 FROM orders WHERE merchant_id = $1 AND reference_id = $2 AND status = 'completed'`;
      const asked = [this.wallets[0]?.merchantId, reference];
      while (!(await this.stack.database.query(ended, asked)).rowCount) await delay(1);
      times.push(performance.now() - startedMs);
    }
    return percentile(times, 0.5);
  }

  private place(reference: string): Promise<Response> {
    return fetch(`${this.stack.apiUrl}/v1/orders`, {
      method: 'POST',
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      body: orderBody(reference),
    });
  }

  private get key(): string {
    return this.wallets[0]?.key ?? '';
  }
}
