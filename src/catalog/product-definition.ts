import type { Satang } from '../core/money.js';
import type { ProductKind } from '../core/product-kind.js';
import { textProblem } from '../core/text.js';
import { PLAYER_CHECK_WORDS, readPlayerCheck } from './player-validators/player-validator.js';
import type { Product } from './product.entity.js';

export const MAX_QUANTITY = 100;

/**
 * The wanted state of a product. An absent member keeps its value. A new product needs a name and a price, and gets defaults for
 * its other members. Until it has an offer, only sandbox merchants can order it.
 */
export interface ProductDefinition {
  sku: string;
  name?: string;
  price?: Satang;
  /**
   * The code of the supplier of its first offer. Another supplier than before gets the offer of priority 1. Null for no
   * supplier: refused if the product has an offer.
   */
  supplier?: string | null;
  /** If absent, the SKU of the present first offer; another supplier gets that only if it is our SKU. Without an offer, our SKU. */
  supplierSku?: string;
  requiresServer?: boolean;
  requiresCharacter?: boolean;
  maxQuantity?: number;
  active?: boolean;
  kind?: ProductKind;
  /** The validator that checks players, with its code of the game, such as `g2bulk:mlbb`. Null for no check. */
  playerCheck?: string | null;
}

/** A product with the code of the supplier of its first offer; null if it has no offer. */
export type ProductWithSupplier = Product & { supplierCode: string | null };

/** A product to write, with its supplier's code in place of the id. */
export type ProductRow = Omit<ProductWithSupplier, 'id' | 'created_at' | 'updated_at' | 'supplier_id'>;

/** The members of a new product that have no default. */
export const REQUIRED = ['name', 'price'] as const;

/** The problem of a new product that lacks members; null if none is missing. */
export const missingProblem = (sku: string, missing: string[]): string | null =>
  missing.length === 0 ? null : `${sku} is a new product: it needs ${missing.join(', ')}`;

/** The problem of a definition, apart from its supplier; null if there is none. */
export function productProblem({
  sku,
  name,
  supplierSku,
  maxQuantity = MAX_QUANTITY,
  playerCheck = null,
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
  if (playerCheck !== null && !readPlayerCheck(playerCheck)) return `player_check must be ${PLAYER_CHECK_WORDS}`;
  return null;
}

/** The problem of a definition's first offer; null if there is none. @param before undefined for a new product. */
export function firstOfferProblem(
  { sku, supplier, supplierSku }: ProductDefinition,
  before?: Pick<ProductWithSupplier, 'supplierCode' | 'supplier_sku'>,
): string | null {
  const supplierBefore = before?.supplierCode ?? null;
  if (supplier === null && supplierBefore !== null) {
    return `${sku} has an offer of ${supplierBefore}: remove that offer instead`;
  }
  const isMoved = Boolean(supplier && supplierBefore && supplier !== supplierBefore);
  // One supplier's SKU may name another product at the next supplier, and the service would buy that.
  if (isMoved && supplierSku === undefined && before?.supplier_sku !== sku) {
    return `${sku} is ${before?.supplier_sku} at ${supplierBefore}: name its supplier_sku at ${supplier}`;
  }
  const hasNone = (supplier ?? supplierBefore) === null;
  return hasNone && supplierSku !== undefined ? `${sku} has no supplier for its supplier_sku` : null;
}

/** The row of a product after a change. @param before undefined for a new product, which must have all {@link REQUIRED} members. */
export function toRow(definition: ProductDefinition, before?: ProductWithSupplier): ProductRow {
  const supplierCode = definition.supplier ?? before?.supplierCode ?? null;
  const supplierSku = definition.supplierSku ?? before?.supplier_sku ?? definition.sku;
  return {
    sku: definition.sku,
    name: definition.name ?? before?.name ?? '',
    price: definition.price ?? before?.price ?? 0n,
    supplierCode,
    supplier_sku: supplierCode === null ? null : supplierSku,
    requires_server: definition.requiresServer ?? before?.requires_server ?? false,
    requires_character: definition.requiresCharacter ?? before?.requires_character ?? false,
    max_quantity: definition.maxQuantity ?? before?.max_quantity ?? MAX_QUANTITY,
    active: definition.active ?? before?.active ?? true,
    kind: definition.kind ?? before?.kind ?? 'topup',
    player_check: definition.playerCheck === undefined ? (before?.player_check ?? null) : definition.playerCheck,
  };
}
