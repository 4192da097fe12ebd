import { formatBaht } from '../core/money.js';
import type { OperatorAction } from '../database/operator-actions.js';
import type { Product } from './product.entity.js';

export type ProductWithSupplier = Product & { supplierCode: string };

/** A product as the operator sees it (contract, section 7). */
export interface ProductView {
  sku: string;
  name: string;
  price: string;
  supplier: string;
  supplier_sku: string;
  requires_server: boolean;
  requires_character: boolean;
  max_quantity: number;
  active: boolean;
}

export const toProductView = (product: ProductWithSupplier): ProductView => ({
  sku: product.sku,
  name: product.name,
  price: formatBaht(product.price),
  supplier: product.supplierCode,
  supplier_sku: product.supplierSku,
  requires_server: product.requiresServer,
  requires_character: product.requiresCharacter,
  max_quantity: product.maxQuantity,
  active: product.active,
});

/** What the operator's log keeps of products that were written, given those that were there before, by their SKU. */
export type ToAction = (
  after: ProductWithSupplier[],
  before: Map<string, ProductWithSupplier>,
) => OperatorAction;

/** One product: all of it, and what was changed. */
export const setAction: ToAction = ([product], before) => {
  if (!product) throw new Error('no product was set');
  const view = toProductView(product);
  const earlier = before.get(product.sku);
  return {
    action: 'product.set',
    detail: { ...view, before: earlier ? changedMembers(toProductView(earlier), view) : null },
  };
};

/** Many products: how many, which are new, and every price that was changed. @param file where they come from. */
export const importAction =
  (file?: string): ToAction =>
  (after, before) => {
    const added = after.filter(({ sku }) => !before.has(sku));
    const prices = after.flatMap(({ sku, price }) => {
      const earlier = before.get(sku);
      return earlier && earlier.price !== price
        ? [{ sku, from: formatBaht(earlier.price), to: formatBaht(price) }]
        : [];
    });
    const detail = { file, products: after.length, added: added.map(({ sku }) => sku), prices };
    return { action: 'product.import', detail };
  };

/** The members of `earlier` that are not the same any more. */
export const changedMembers = (earlier: ProductView, now: ProductView): Partial<ProductView> =>
  Object.fromEntries(
    Object.entries(earlier).filter(([member, value]) => now[member as keyof ProductView] !== value),
  );
