import { hash } from 'node:crypto';
import type { CreateOrderDto } from './create-order.dto.js';

/** One line as it was requested, defaults filled in. */
export interface OrderLine {
  sku: string;
  quantity: number;
}

/** What an order is for: two requests with the same reference must agree on all of it (contract, section 2). */
export interface OrderContent {
  userId: string;
  serverId: string | null;
  characterId: string | null;
  lines: OrderLine[];
}

/** What a merchant's request comes to. */
export interface PlaceOrder {
  merchantId: number;
  referenceId: string;
  content: OrderContent;
  requestId: string;
}

export function toContent(dto: CreateOrderDto): OrderContent {
  return {
    userId: dto.user_id,
    serverId: dto.server_id ?? null,
    characterId: dto.character_id ?? null,
    lines: dto.items.map(({ sku, quantity }) => ({ sku, quantity: quantity ?? 1 })),
  };
}

/** Equal for equal contents only; 32 bytes. */
export function contentHash({ userId, serverId, characterId, lines }: OrderContent): Buffer {
  const canonical = JSON.stringify([
    userId,
    serverId,
    characterId,
    lines.map(({ sku, quantity }) => [sku, quantity]),
  ]);
  return hash('sha256', canonical, 'buffer');
}
