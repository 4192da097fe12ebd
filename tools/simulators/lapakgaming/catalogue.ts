import { product } from './defaults.js';
import type { Category, Product } from './model.js';

const CATEGORIES = ['FF', 'ML', 'GI', 'VCGS'];
const PROVIDERS = 4;
/** Minutes until delivery, as the vendor's products have them. */
const PROCESS_TIMES = [0, 20, 30, 120];

/** A product as the lists have it. */
export type Listed = Omit<Product, 'refused_with' | 'ends' | 'stock'>;

export function listed(product: Product): Listed {
  const { refused_with: _, ends: __, stock, ...item } = product;
  return stock === 0 ? { ...item, status: 'empty' } : item;
}

/** A category as the list has it. */
export function listedCategory(category: Category): Omit<Category, 'allowed' | 'end_user_ip'> {
  const { allowed: _, end_user_ip: __, ...item } = category;
  return item;
}

let madeUp: readonly Product[] = [];

/** Generates products, always the same ones. With 5,600 the answer has the size of the vendor's own. */
export function madeUpProducts(count: number): readonly Product[] {
  if (madeUp.length !== count) madeUp = Array.from({ length: count }, (_, index) => madeUpProduct(index));
  return madeUp;
}

function madeUpProduct(index: number): Product {
  const group = Math.floor(index / PROVIDERS);
  const category_code = CATEGORIES[group % CATEGORIES.length] ?? '';
  const amount = 10_000 + group;
  const provider = index % PROVIDERS;
  return product({
    code: `${category_code}${amount}-S${40 + provider}`,
    category_code,
    name: `${amount} Diamonds + Bonus ${amount % 97}`,
    price: amount * 215 + provider * 50,
    process_time: PROCESS_TIMES[provider] ?? 0,
    status: index % 5 === 4 ? 'empty' : 'available',
  });
}

/** The vendor's group of a product: the same thing from all providers. */
export const groupOf = ({ code }: Pick<Product, 'code'>): string => code.split('-', 1)[0] ?? '';

/** D: the best product of a group is the faster one, then the cheaper one. */
export function bestOf(products: readonly Product[]): Product | undefined {
  const available = products.filter((each) => listed(each).status === 'available');
  return [...available].sort((a, b) => a.process_time - b.process_time || a.price - b.price)[0];
}
