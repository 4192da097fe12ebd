import { SuppliersService } from '../../src/suppliers/suppliers.service.js';
import { REPEATS_CALLBACKS } from '../simulators/simulator-client.js';
import { PASSWORD, USERNAME, WepayBench, type Json, type WepayClient } from '../simulators/wepay-client.js';
import { eventually } from '../support/eventually.js';
import { unique, type OrderBody } from '../support/stack.js';
import { fetchServed } from '../support/until-served.js';
import { RoutingScene, TIMEOUT_MS } from './routing-scene.js';

/** The service, a simulated wePAY that sends it callbacks, and a product of 90 baht. */
export class WepayScene {
  private constructor(
    readonly routing: RoutingScene,
    private readonly bench: WepayBench,
    readonly vendor: WepayClient,
    readonly sku: string,
  ) {}

  static async open(readings: Json = {}, env: Record<string, string> = {}): Promise<WepayScene> {
    const routing = await RoutingScene.open(env, true);
    const bench = new WepayBench();
    const vendor = await bench.start({ ...REPEATS_CALLBACKS, ...readings });
    await routing.stack.api.get(SuppliersService).set({
      code: 'wepay',
      adapter: 'wepay',
      baseUrl: vendor.url,
      timeoutMs: TIMEOUT_MS,
      credentials: { username: USERNAME, password: PASSWORD },
    });
    const sku = await routing.product({ supplier: 'wepay', supplierSku: 'gtopup:FREEFIRE:90' });
    return new WepayScene(routing, bench, vendor, sku);
  }

  async close(): Promise<void> {
    await this.routing.close();
    await this.bench.clear();
  }

  /** A product of codes. */
  codeProduct(supplierSku: string): Promise<string> {
    return this.routing.codeProduct({ supplier: 'wepay', supplierSku });
  }

  /** An order for a player, with rules for the supplier's answers about this player. */
  async ruled(...rules: Json[]): Promise<OrderBody> {
    const user = newPlayer();
    const match = { player: user };
    await this.vendor.sim('rules', {
      rules: rules.map((rule) => ({ ...rule, match: { ...match, ...(rule.match as object) } })),
    });
    return this.routing.order(this.sku, { user });
  }

  order(sku = this.sku, user = newPlayer()): Promise<OrderBody> {
    return this.routing.order(sku, { user });
  }

  /** Moves the supplier's clock, so that purchases of the time before end there. */
  async later(time = '21s'): Promise<void> {
    await this.vendor.sim('clock', { advance: time });
  }

  /** The stored supplier's reference of an order's first unit. */
  async theirName(order: OrderBody): Promise<string | null> {
    return (await this.stored(order))?.supplier_reference ?? null;
  }

  /** Waits until the service has stored the supplier's reference of an order's first unit. */
  async named(order: OrderBody): Promise<string> {
    return (
      (await eventually(
        () => this.theirName(order),
        (name) => name !== null,
      )) ?? ''
    );
  }

  /** Sends a callback about a reference. Anybody who knows the address could send it. */
  async callBack(fields: Record<string, string>): Promise<Response> {
    const url = await this.routing.callbackUrl('wepay');
    return fetchServed(url, { method: 'POST', body: new URLSearchParams(fields) });
  }

  private async stored({ order_number }: OrderBody): Promise<{ supplier_reference: string | null } | undefined> {
    const [attempt] = await this.routing.stack.sql<{ supplier_reference: string | null }>(
      `SELECT a.supplier_reference FROM unit_attempts a JOIN orders o ON o.id = a.order_id
       WHERE o.order_number = $1 ORDER BY a.number DESC LIMIT 1`,
      [order_number],
    );
    return attempt;
  }
}

/** A player of Free Fire has five to twelve digits. */
const newPlayer = (): string => `5${unique('').replace(/\D/g, '').slice(-9).padStart(9, '0')}`;
