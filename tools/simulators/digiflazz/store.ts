import { Store as CommonStore } from '../common/store.js';
import { DEFAULT_ACCOUNT, DEFAULT_PRODUCTS } from './defaults.js';
import type { Catalogue, Kinds, Product } from './model.js';
import { READINGS } from './readings.js';

/** Adds the products, and the times when they were requested. */
export class Store extends CommonStore<Kinds> {
  catalogues: readonly Catalogue[] = [{ at_ms: 0, products: DEFAULT_PRODUCTS }];
  priceLists: Readonly<Record<string, number>> = {};

  constructor() {
    super(DEFAULT_ACCOUNT, READINGS, 'deposit');
  }

  get products(): readonly Product[] {
    return this.catalogues.at(-1)?.products ?? [];
  }

  product(sku: string): Product | undefined {
    return this.products.find(({ buyer_sku_code }) => buyer_sku_code === sku);
  }

  protected override applyOwn({ catalogue, price_lists }: Kinds['change']): void {
    if (catalogue) this.catalogues = [...this.catalogues, catalogue];
    if (price_lists) this.priceLists = { ...this.priceLists, ...price_lists };
  }
}
