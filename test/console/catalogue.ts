import { OffersService } from '../../src/catalog/offers.service.js';
import type { Answer, ErrorBody } from '../support/http.js';
import { untilDone } from '../support/until-served.js';
import type { TestOperator } from './console-stack.js';
import type { Scene } from './scene.js';

export interface Offer {
  supplier_sku: string;
  cost: string | null;
  cost_baht: string | null;
  margin_baht: string | null;
  routable: boolean;
  why_not: string | null;
  in_use: boolean;
  updated_at: string;
}
export interface Product {
  sku: string;
  name: string;
  price: string;
  active: boolean;
  cost_baht: string | null;
  margin_baht: string | null;
  sold_today: number;
  updated_at: string;
  offer_list: Offer[];
  own_prices: { merchant: { id: number }; price: string }[];
}
export interface Preview {
  version: string;
  added: number;
  changed: number;
  unchanged: number;
  moved_far: number;
  below_cost: number;
  own_prices: number;
  problems: { line: number | null; column: string | null; words: string }[];
  changes: {
    sku: string;
    changes: { member: string; old: string | null; new: string | null }[];
    old: string | null;
    new: string | null;
    price_moves_percent: number | null;
    cost_baht: string | null;
    below_cost: boolean;
  }[];
}
export interface History {
  own_only: boolean;
  data: {
    action: string;
    operator: string;
    changes: object[];
    reason: string | null;
    supplier: string | null;
  }[];
}

/** Repeated steps of the tests of products, by one operator unless a test names another. */
export class Catalogue {
  constructor(
    private readonly scene: Scene,
    private readonly operator: TestOperator,
  ) {}

  async product(sku: string): Promise<Product> {
    return (await this.operator.browser.get<Product>(`/api/products/${encodeURIComponent(sku)}`)).body;
  }

  set(sku: string, body: object): Promise<Answer<Product & ErrorBody>> {
    return this.operator.browser.send('PUT', `/api/products/${encodeURIComponent(sku)}`, body);
  }

  /** Sends a file. */
  send(path: string, raw: string, who = this.operator): Promise<Answer<Preview & ErrorBody>> {
    return who.browser.post(path, undefined, { raw, headers: { 'content-type': 'text/csv' } });
  }

  async history(sku: string, who = this.operator): Promise<History> {
    return (await who.browser.get<History>(`/api/products/${encodeURIComponent(sku)}/history`)).body;
  }

  /** The number of entries of the audit log. */
  async entries(): Promise<number> {
    const [row] = await this.scene.console.sql<{ count: bigint }>('SELECT count(*) FROM operator_actions');
    return Number(row?.count);
  }

  /** Gives the product's offer a cost in baht. */
  async costs(sku: string, baht: number): Promise<void> {
    const costMicros = BigInt(Math.round(baht * 1_000_000));
    const offer = { sku, supplier: 'fake', supplierSku: sku, currency: 'THB', costMicros };
    await untilDone(() => this.scene.console.app.get(OffersService).set(offer));
  }
}
