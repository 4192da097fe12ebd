import type { Satang } from '../core/money.js';
import { textProblem } from '../core/text.js';
import type { Product } from './product.entity.js';

export const MAX_QUANTITY = 100;

/**
 * What a product is to be. What is not given stays as it is; a new product needs a name, a price and a supplier, and
 * has its defaults for the rest.
 */
export interface ProductDefinition {
  sku: string;
  name?: string;
  price?: Satang;
  /** The code of its supplier. */
  supplier?: string;
  /** The SKU itself unless the supplier calls it otherwise. */
  supplierSku?: string;
  requiresServer?: boolean;
  requiresCharacter?: boolean;
  maxQuantity?: number;
  active?: boolean;
}

export type ProductWithSupplier = Product & { supplierCode: string };

/** A product as it is to be, with its supplier's code in place of the id. */
export type ProductRow = Omit<ProductWithSupplier, 'id' | 'created_at' | 'updated_at' | 'supplier_id'>;

/** What a new product has no default for. */
export const NEEDED = ['name', 'price', 'supplier'] as const;

/** @returns null when nothing is missing. */
export const missingProblem = (sku: string, missing: string[]): string | null =>
  missing.length === 0 ? null : `${sku} is a new product: it needs ${missing.join(', ')}`;

/** Why a product cannot be as it is defined, its supplier aside; null when it can. */
export function productProblem({
  sku,
  name,
  supplierSku,
  maxQuantity = MAX_QUANTITY,
}: ProductDefinition): string | null {
  const texts: [string, string | undefined, number][] = [
    ['sku', sku, 64],
    ['name', name, 128],
    ['supplier_sku', supplierSku, 128],
  ];
  for (const [member, text, maximum] of texts) {
    const problem = text === undefined ? null : textProblem(text, 1, maximum);
    if (problem) return `${member} ${problem}`;
  }
  if (!Number.isInteger(maxQuantity) || maxQuantity < 1 || maxQuantity > MAX_QUANTITY) {
    return `max_quantity must be a whole number, 1 to ${MAX_QUANTITY}`;
  }
  return null;
}

/** What a product becomes. @param before what it was; undefined for a new one, which lacks nothing it needs. */
export const toRow = (definition: ProductDefinition, before?: ProductWithSupplier): ProductRow => ({
  sku: definition.sku,
  name: definition.name ?? before?.name ?? '',
  price: definition.price ?? before?.price ?? 0n,
  supplierCode: definition.supplier ?? before?.supplierCode ?? '',
  supplier_sku: definition.supplierSku ?? before?.supplier_sku ?? definition.sku,
  requires_server: definition.requiresServer ?? before?.requires_server ?? false,
  requires_character: definition.requiresCharacter ?? before?.requires_character ?? false,
  max_quantity: definition.maxQuantity ?? before?.max_quantity ?? MAX_QUANTITY,
  active: definition.active ?? before?.active ?? true,
});
