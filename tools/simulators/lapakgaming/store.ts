import { Store } from '../common/store.js';
import { madeUpProducts } from './catalogue.js';
import { DEFAULT_ACCOUNT, DEFAULT_CATEGORIES, DEFAULT_PRODUCTS } from './defaults.js';
import type { Catalogue, Category, Kinds, Order, Product } from './model.js';
import { READINGS } from './readings.js';

/** Adds the catalogue and its past. */
export class LapakStore extends Store<Kinds> {
  private catalogues: readonly Catalogue[] = [{ at_ms: 0, products: DEFAULT_PRODUCTS, categories: DEFAULT_CATEGORIES }];

  constructor() {
    super(DEFAULT_ACCOUNT, READINGS, 'balance');
  }

  get catalogue(): Catalogue {
    return this.catalogueAt(Infinity);
  }

  /** The catalogue at a time, in milliseconds since 1970. */
  catalogueAt(atMs: number): Catalogue {
    const found = this.catalogues.findLast(({ at_ms }) => at_ms <= atMs) ?? this.catalogues[0];
    return found ?? { at_ms: 0, products: [], categories: [] };
  }

  /** Every product of a catalogue, generated ones included. */
  productsOf({ products }: Catalogue): readonly Product[] {
    const count = this.account.made_up_products;
    if (count === 0) return products;
    const codes = new Set(products.map(({ code }) => code));
    return [...products, ...madeUpProducts(count).filter(({ code }) => !codes.has(code))];
  }

  product(code: string): Product | undefined {
    return this.productsOf(this.catalogue).find((each) => each.code === code);
  }

  category({ category_code, country_code }: Product): Category | undefined {
    const { categories } = this.catalogue;
    return categories.find((each) => each.code === category_code && each.country_code === country_code);
  }

  /** The latest order with our reference, however old. */
  orderOf(reference: string): Order | undefined {
    return this.underReference(reference).findLast((each) => each.partner_reference_id !== null);
  }

  protected override applyOwn({ catalogue }: Kinds['change']): void {
    if (catalogue) this.catalogues = [...this.catalogues, catalogue];
  }
}
