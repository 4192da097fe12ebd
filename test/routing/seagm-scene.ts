import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { OffersService } from '../../src/catalog/offers.service.js';
import { ProductsService } from '../../src/catalog/products.service.js';
import { CALLBACKS_PATH } from '../../src/core/http/secret-path.js';
import { CallbackAddressesService } from '../../src/suppliers/callback-addresses.service.js';
import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { SeagmBench, SECRET_KEY, UID, type Json, type SeagmClient } from '../simulators/seagm-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { RoutingScene, TIMEOUT_MS } from './routing-scene.js';

/** The tests cannot move the supplier's clock, because the supplier compares it with ours. So purchases take a moment. */
const READINGS = { settle_after_ms: 200 };

/**
 * Starts the service and a simulated SEAGM, which has our callback address, and adds a top-up that costs 4.35 ringgit. They
 * last for all tests of a file. Rules for the supplier last for one test.
 */
export function seagmScene(readings: Json = {}): SeagmScene {
  const seagm = new SeagmScene();
  beforeAll(() => seagm.open(readings));
  afterEach(() => seagm.vendor.sim('rules', undefined, 'DELETE'));
  afterAll(() => seagm.close());
  return seagm;
}

class SeagmScene {
  routing!: RoutingScene;
  vendor!: SeagmClient;
  sku!: string;
  private readonly bench = new SeagmBench();

  async open(readings: Json): Promise<void> {
    this.routing = await RoutingScene.open();
    this.vendor = await this.bench.start({ ...READINGS, ...readings });
    const { api, url } = this.routing.stack;
    const suppliers = api.get(SuppliersService);
    await suppliers.set({
      code: 'seagm',
      adapter: 'seagm',
      baseUrl: this.vendor.url,
      timeoutMs: TIMEOUT_MS,
      credentials: { uid: UID, secret_key: SECRET_KEY },
    });
    const token = api.get(CallbackAddressesService).tokenOf(await suppliers.getByCode('seagm'));
    await this.vendor.sim('account', { callback_url: `${url}${CALLBACKS_PATH}/seagm/${token}` });
    this.sku = await this.product('6401', '{"userid":"{user}"}');
  }

  async close(): Promise<void> {
    await this.routing.close();
    await this.bench.clear();
  }

  /** Adds a product whose only offer is this SKU. The template writes the player. */
  async product(supplierSku: string, playerTemplate?: string): Promise<string> {
    const { api } = this.routing.stack;
    const sku = unique('SKU');
    await api.get(ProductsService).set({ sku, name: `Product ${sku}`, price: 10_000n });
    const template = playerTemplate === undefined ? {} : { playerTemplate };
    await api.get(OffersService).set({ sku, supplier: 'seagm', supplierSku, ...template });
    return sku;
  }

  /** The same with a product of codes. */
  async codeProduct(supplierSku: string): Promise<string> {
    const sku = await this.product(supplierSku);
    await this.routing.stack.api.get(ProductsService).set({ sku, kind: 'code' });
    return sku;
  }

  /** An order for a player, with rules for the supplier's answers. A rule without `match` is about this player. */
  async ruled(...rules: Json[]): Promise<OrderBody> {
    const user = unique('8');
    await this.vendor.sim('rules', { rules: rules.map((rule) => ({ match: { player: user }, ...rule })) });
    return this.routing.order(this.sku, { user });
  }

  /** The names of the calls about an order, purchases and inquiries. */
  async calls(order: OrderBody): Promise<unknown[]> {
    const journal = await this.vendor.journal(await this.routing.reference(order));
    return journal.map(({ call }) => call);
  }

  /** Waits until the supplier has got so many calls about an order. */
  called(order: OrderBody, count: number): Promise<unknown[]> {
    return eventually(
      () => this.calls(order),
      ({ length }) => length >= count,
    );
  }

  /** Ends the quiet period after the last send. */
  async quiet({ order_number }: OrderBody): Promise<void> {
    await this.routing.stack.sql(
      `UPDATE order_units SET last_sent_at = last_sent_at - interval '1 minute'
       WHERE order_id = (SELECT id FROM orders WHERE order_number = $1)`,
      [order_number],
    );
  }

  /** Makes the next probe of our balance due. */
  async probeNow(): Promise<void> {
    await this.routing.stack.sql(`UPDATE suppliers SET probe_at = now() WHERE code = 'seagm'`);
  }

  /** Waits until the supplier is paused for this reason; for null, until it is not paused. @returns the pause's detail. */
  async pausedFor(reason: string | null): Promise<string | null> {
    const read = (): Promise<{ pause_reason: string | null; pause_detail: string | null }[]> =>
      this.routing.stack.sql(`SELECT pause_reason, pause_detail FROM suppliers WHERE code = 'seagm'`);
    const [paused] = await eventually(read, ([supplier]) => supplier?.pause_reason === reason);
    return paused?.pause_detail ?? null;
  }

  async bought(order: OrderBody): Promise<Json> {
    return this.vendor.purchase(await this.routing.reference(order));
  }
}
