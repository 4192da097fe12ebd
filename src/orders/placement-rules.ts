import type { OrderableProduct } from '../catalog/listings.repository.js';
import { AppError, invalidRequest, refusal, type ErrorDetail } from '../core/errors.js';
import { fitsPattern } from '../suppliers/player-pattern.js';
import { usualPlayer, writePlayer } from '../suppliers/player-template.js';
import { formatBaht, type Satang } from '../core/money.js';
import type { OrderContent } from './order-content.js';

/** A line of an order with its product. */
export interface ProductLine {
  sku: string;
  quantity: number;
  product: OrderableProduct;
  /** Whether the player's ids fit no routable offer of the product. */
  isPlayerExcluded: boolean;
}

/** A line whose product can be ordered. */
export type OrderableLine = ProductLine & { product: { supplier_id: number; supplier_sku: string } };

/** Whether the player's ids fit the pattern of an offer. */
export function takesPlayer(
  { player_pattern: pattern, player_template: template }: OrderableProduct,
  player: OrderContent,
): boolean {
  if (pattern === null) return true;
  return fitsPattern(pattern, template === null ? usualPlayer(player) : writePlayer(template, player));
}

export const isOrderable = (line: ProductLine): line is OrderableLine => line.product.supplier_id !== null;

/** Checks each line's SKU, availability and quantity, and whether the player has the needed ids in an accepted form. */
export function findProblems(content: OrderContent, lines: ProductLine[]): ErrorDetail[] {
  const problems: ErrorDetail[] = [];
  lines.forEach(({ sku, quantity, product, isPlayerExcluded }, index) => {
    const at = `items[${index}]`;
    if (!product.is_listed) {
      const message = `${at}.sku ${JSON.stringify(sku)} is not a product that can be ordered`;
      problems.push({ field: `${at}.sku`, code: 'INVALID_SKU', message });
      return;
    }
    if (product.supplier_id === null) {
      const message = `${at}.sku ${JSON.stringify(sku)} cannot be ordered at the moment`;
      problems.push({ field: `${at}.sku`, code: 'PRODUCT_UNAVAILABLE', message });
      return;
    }
    if (quantity > 1 && product.once_per_day) {
      const message = `${at}.quantity must be 1 for ${sku} at present`;
      problems.push({ field: `${at}.quantity`, code: 'OUT_OF_RANGE', message });
    } else if (quantity > product.max_quantity) {
      const message = `${at}.quantity must be at most ${product.max_quantity} for ${sku}`;
      problems.push({ field: `${at}.quantity`, code: 'OUT_OF_RANGE', message });
    }
    if (product.requires_server && content.serverId === null) {
      problems.push({ field: 'server_id', code: 'REQUIRED', message: `server_id is required for ${sku}` });
    }
    if (product.requires_character && content.characterId === null) {
      problems.push({
        field: 'character_id',
        code: 'REQUIRED',
        message: `character_id is required for ${sku}`,
      });
    }
    if (isPlayerExcluded) {
      const message = `user_id, with server_id where the game has servers, is not a player of ${sku}`;
      problems.push({ field: 'user_id', code: 'INVALID_PLAYER', message });
    }
  });
  return problems;
}

export function duplicateReference(referenceId: string, orderNumber: string): AppError {
  const message = `reference_id ${JSON.stringify(referenceId)} was already used for order ${orderNumber}, which has different content`;
  return new AppError('DUPLICATE_REFERENCE', message);
}

export function priceChanged(total: Satang, maxTotal: Satang): AppError {
  const message = `The order costs ${formatBaht(total)} THB, more than max_total_amount allows: ${formatBaht(maxTotal)} THB`;
  return invalidRequest([{ field: 'max_total_amount', code: 'PRICE_CHANGED', message }]);
}

const INSUFFICIENT_BALANCE = 'INSUFFICIENT_BALANCE';

/** The status is 503, because the specification demands it for an insufficient balance (section 4.1). */
export function insufficientBalance(total: Satang, available: Satang): AppError {
  const message = `Insufficient wallet balance: the order costs ${formatBaht(total)} THB, ${formatBaht(available)} THB are available`;
  return refusal('SERVICE_UNAVAILABLE', INSUFFICIENT_BALANCE, 'items', message);
}

export const isBalanceRefusal = (error: unknown): boolean =>
  error instanceof AppError && error.details?.[0]?.code === INSUFFICIENT_BALANCE;
