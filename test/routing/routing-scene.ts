import { ProductsService } from '../../src/catalog/products.service.js';
import { CALLBACKS_PATH } from '../../src/core/http/secret-path.js';
import { CallbackAddressesService } from '../../src/suppliers/callback-addresses.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { CommandLine } from '../cli/command-line.js';
import { DigiflazzBench, KEYS, USERNAME, type DigiflazzClient, type Json } from '../simulators/digiflazz-client.js';
import { LapakgamingBench, SECRET_KEY, type LapakgamingClient } from '../simulators/lapakgaming-client.js';
import { REPEATS_CALLBACKS } from '../simulators/simulator-client.js';
import { closeWithBalancedBooks } from '../support/books.js';
import { eventually } from '../support/eventually.js';
import { TestStack, unique, type OrderBody, type TestMerchant } from '../support/stack.js';
import { keepWaits, waitsOf } from '../support/waits.js';

export interface AttemptJson {
  number: number;
  supplier: string;
  supplier_sku: string;
  reference: string;
  supplier_reference: string | null;
  state: string;
  cost: string | null;
  currency: string | null;
  failure_code: string | null;
}

export interface UnitJson {
  reference: string;
  state: string;
  attempts: number;
  attempts_detail: AttemptJson[];
}

/** Where a product can be bought. */
interface Offer {
  supplier: string;
  supplierSku: string;
  /** In whole rupiah; undefined for a supplier that reports no costs. */
  cost?: number;
}

/** As long as a call may take beside the usual quiet period, so that no answer comes too late on a busy machine. */
export const TIMEOUT_MS = 25_000;

/** How long each unit waits for its next call at least: longer than a test needs for its steps, also on a busy machine. */
const MIN_WAIT_S = 90;

/** The service with a worker, simulated suppliers to buy from, and a merchant. */
export class RoutingScene {
  readonly commandLine: CommandLine;
  private readonly bench = new DigiflazzBench();
  private readonly lapakgamingBench = new LapakgamingBench();

  private constructor(
    readonly stack: TestStack,
    readonly merchant: TestMerchant,
  ) {
    const { DATABASE_URL, secretsKey } = stack.config;
    const SECRETS_KEY = secretsKey?.toString('base64') ?? '';
    this.commandLine = new CommandLine({ DATABASE_URL, SECRETS_KEY });
  }

  /**
   * @param env configuration that differs from the tests' usual one.
   * @param isCalledBack whether each purchase names our callback address.
   */
  static async open(env: Record<string, string> = {}, isCalledBack = false): Promise<RoutingScene> {
    const stack = await TestStack.start(env, { worker: false });
    await keepWaits(stack, MIN_WAIT_S);
    await stack.startWorker(isCalledBack ? { supplierCallbackBaseUrl: stack.url } : {});
    await stack.sql(`INSERT INTO fx_rates VALUES ('IDR', 0.0022, now() - interval '1 h', 'test')`);
    return new RoutingScene(stack, await stack.merchant('100000.00'));
  }

  async close(): Promise<void> {
    await closeWithBalancedBooks(this.stack);
    await this.bench.clear();
    await this.lapakgamingBench.clear();
  }

  /** Adds a supplier with the adapter digiflazz. @returns its simulated vendor. */
  async vendor(code: string, account: Json = {}): Promise<DigiflazzClient> {
    const client = await this.bench.start(REPEATS_CALLBACKS, account);
    await this.stack.api.get(SuppliersService).set({
      code,
      adapter: 'digiflazz',
      baseUrl: `${client.url}/v1`,
      timeoutMs: TIMEOUT_MS,
      credentials: { username: USERNAME, key: KEYS.production, webhook_secret: 'hook-secret-1' },
    });
    return client;
  }

  /** The same for the adapter lapakgaming, with a choice of readings of the supplier's documents. */
  async lapakgaming(code: string, readings: Json = {}, account: Json = {}): Promise<LapakgamingClient> {
    const client = await this.lapakgamingBench.start({ ...REPEATS_CALLBACKS, ...readings }, account);
    await this.stack.api.get(SuppliersService).set({
      code,
      adapter: 'lapakgaming',
      baseUrl: client.url,
      timeoutMs: TIMEOUT_MS,
      credentials: { secret_key: SECRET_KEY },
    });
    return client;
  }

  /** The address for a supplier's callbacks. */
  async callbackUrl(code: string): Promise<string> {
    const supplier = await this.stack.api.get(SuppliersService).getByCode(code);
    const token = this.stack.api.get(CallbackAddressesService).tokenOf(supplier);
    return `${this.stack.url}${CALLBACKS_PATH}/${code}/${token}`;
  }

  /** Adds a product for 100 baht with these offers, in the order of their priority. @returns its SKU. */
  async product(...offers: Offer[]): Promise<string> {
    const sku = unique('SKU');
    await this.stack.api.get(ProductsService).set({ sku, name: `Product ${sku}`, price: 10_000n });
    for (const [index, { supplier, supplierSku, cost }] of offers.entries()) {
      await this.stack.sql(
        `INSERT INTO supplier_offers (product_id, supplier_id, supplier_sku, priority, cost_micros, cost_currency, cost_at)
         SELECT p.id, s.id, $3, $4, $5::bigint * 1000000, CASE WHEN $5::bigint IS NOT NULL THEN 'IDR' END, now()
         FROM products p, suppliers s WHERE p.sku = $1 AND s.code = $2`,
        [sku, supplier, supplierSku, index + 1, cost ?? null],
      );
    }
    return sku;
  }

  /** The same with a product of codes. */
  async codeProduct(...offers: Offer[]): Promise<string> {
    const sku = await this.product(...offers);
    await this.stack.api.get(ProductsService).set({ sku, kind: 'code' });
    return sku;
  }

  order(sku: string, { user = unique('7'), quantity = 1 } = {}): Promise<OrderBody> {
    return this.stack.order(this.merchant, [{ sku, quantity }], user);
  }

  orderWith(order: OrderBody, ...statuses: string[]): Promise<OrderBody> {
    return this.stack.orderWith(this.merchant, order.reference_id, ...statuses);
  }

  async units({ order_number }: OrderBody): Promise<UnitJson[]> {
    const { units } = await this.commandLine.json<{ units: UnitJson[] }>('order', 'show', order_number);
    return units;
  }

  /** Of an order's first unit. */
  async attempts(order: OrderBody): Promise<AttemptJson[]> {
    return (await this.units(order))[0]?.attempts_detail ?? [];
  }

  /** The reference of the latest attempt at an order's first unit, once it has begun. */
  async reference({ order_number }: OrderBody, attempt = 1): Promise<string> {
    const find = async (): Promise<string | undefined> =>
      (
        await this.stack.sql<{ reference: string }>(
          `SELECT a.reference FROM unit_attempts a JOIN orders o ON o.id = a.order_id
           WHERE o.order_number = $1 AND a.item = 1 AND a.unit = 1 AND a.number = $2`,
          [order_number, attempt],
        )
      )[0]?.reference;
    return (await eventually(find, (reference) => reference !== undefined)) ?? '';
  }

  /** Waits until an order's first unit is in a state, without a claim. @returns the seconds until its next call. */
  async unitIn({ order_number }: OrderBody, state: string): Promise<number | null> {
    const read = async (): Promise<{ state: string } | undefined> =>
      (
        await this.stack.sql<{ state: string }>(
          `SELECT u.state FROM order_units u JOIN orders o ON o.id = u.order_id
           WHERE o.order_number = $1 AND u.item = 1 AND u.unit = 1 AND u.claimed_by IS NULL`,
          [order_number],
        )
      )[0];
    await eventually(read, (unit) => unit?.state === state);
    return (await waitsOf(this.stack, order_number, state)).at(-1) ?? null;
  }

  /** Settles an order's first unit by an operator's decision. @param verdict the options of the decision. */
  resolve({ order_number }: OrderBody, reason: string, ...verdict: string[]): Promise<unknown> {
    const decision = ['--unit', '1.1', ...verdict, '--reason', reason, '--yes'];
    return this.commandLine.json('order', 'resolve', order_number, ...decision);
  }

  /** Lets more than a minute pass, here and at the vendor, once no call about the order is in flight. */
  async aMinuteLater({ order_number }: OrderBody, ...vendors: DigiflazzClient[]): Promise<void> {
    for (const vendor of vendors) await vendor.aMinuteLater();
    const isOf = 'order_id = (SELECT id FROM orders WHERE order_number = $1)';
    await eventually(
      () => this.stack.sql(`SELECT FROM order_units WHERE ${isOf} AND claimed_by IS NOT NULL`, [order_number]),
      ({ length }) => length === 0,
    );
    await this.stack.sql(
      `UPDATE order_units SET next_action_at = now() WHERE ${isOf} AND next_action_at > now() AND claimed_by IS NULL`,
      [order_number],
    );
  }
}
