import { pick } from '../core/members.js';
import { formatBaht } from '../core/money.js';
import type { AuditRecord } from '../audit-log/audit-log.js';
import type { ProductRow, ProductWithSupplier } from './product-definition.js';

/** A product as operators see it (contract, section 7). */
export type ProductView = Omit<ProductRow, 'price' | 'supplierCode'> & {
  price: string;
  /** The code of the supplier of its first offer; null if it has no offer. */
  supplier: string | null;
};

export const toProductView = (product: ProductRow): ProductView => ({
  ...pick(product, 'sku', 'name'),
  price: formatBaht(product.price),
  supplier: product.supplierCode,
  supplier_sku: product.supplier_sku,
  ...pick(product, 'requires_server', 'requires_character', 'max_quantity', 'active', 'kind', 'player_check'),
});

type Value = string | number | boolean | null;

/** The change of one product, as operators see it and as the audit log stores it. */
export interface ProductDifference {
  sku: string;
  change: 'added' | 'changed';
  /** Each member that changes; `old` is null for a product that is added. */
  changes: { member: string; old: Value; new: Value }[];
}

/** @param before undefined for a new product. @returns null when nothing changes. */
export function productDifference(now: ProductRow, before: ProductWithSupplier | undefined): ProductDifference | null {
  const { sku, ...view } = toProductView(now);
  const earlier: Partial<ProductView> = before ? toProductView(before) : {};
  const changes = (Object.entries(view) as [keyof ProductView, Value][])
    .filter(([member, value]) => (earlier[member] ?? null) !== value)
    .map(([member, value]) => ({ member, old: earlier[member] ?? null, new: value }));
  if (changes.length === 0) return null;
  return { sku, change: before ? 'changed' : 'added', changes };
}

/** Makes the record of written products for the audit log. */
export type ToRecord = (products: ProductRow[], differences: ProductDifference[]) => AuditRecord;

/** Makes the record of one product: all its members, and the old values of the changed members. */
export const toSetRecord: ToRecord = ([product], [difference]) => {
  if (!product || !difference) throw new Error('no product was set');
  const before =
    difference.change === 'added'
      ? null
      : Object.fromEntries(difference.changes.map(({ member, old }) => [member, old]));
  return { action: 'product.set', detail: { ...toProductView(product), before } };
};

/**
 * Makes the record of an import: the number of products, the SKUs of new products, and all changes.
 * @param file the name of their file.
 */
export const toImportRecord =
  (file?: string): ToRecord =>
  (products, differences) => {
    const added = differences.filter(({ change }) => change === 'added').map(({ sku }) => sku);
    const detail = { file, products: products.length, added, changes: differences };
    return { action: 'product.import', detail };
  };
