import type { OrderableProduct } from '../../catalog/listings.repository.js';
import type { ErrorDetail } from '../../core/errors.js';
import type { OrderContent } from '../order-content.js';
import { INVALID_PLAYER, VALID_PLAYER, type PlayerVerdict } from '../../catalog/player-validators/player-validator.js';
import { behaviourOf } from '../../suppliers/sandbox/sandbox-behaviours.js';
import { findProblems, takesPlayer } from '../placement-rules.js';

/** Where the problems of an order's first line stand. */
const AT = 'items[0].';

/**
 * What an order for this player would be refused for, as far as the request itself is wrong: that the product cannot be
 * bought at the moment says nothing of the player.
 */
export function problemsOf(content: OrderContent, sku: string, product: OrderableProduct): ErrorDetail[] {
  const bought = { ...product, supplier_id: product.supplier_id ?? 0 };
  const line = { sku, quantity: 1, product: bought, isPlayerExcluded: false };
  return findProblems(content, [line]).map(({ field, code, message }) => ({
    field: withoutPlace(field),
    code,
    message: withoutPlace(message),
  }));
}

/** A check has one product and no lines. */
const withoutPlace = (text: string): string => (text.startsWith(AT) ? text.slice(AT.length) : text);

/** Whether every routable offer of a product is for players of another form. @param offers as `findOrderable` gives them. */
export const isExcluded = (content: OrderContent, offers: readonly OrderableProduct[]): boolean =>
  !offers.some((offer) => takesPlayer(offer, content));

/** What is said of a player to a sandbox merchant, whose products may have no validator: what an order would come to. */
export function sandboxVerdict({ userId }: OrderContent, sku: string): PlayerVerdict {
  const { verdict } = behaviourOf(userId, sku, 1);
  return verdict.kind === 'refused' && verdict.code === 'INVALID_PLAYER' ? INVALID_PLAYER : VALID_PLAYER;
}
