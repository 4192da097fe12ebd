import { hash } from 'node:crypto';
import type { Customer } from '../catalog/listings.repository.js';
import { parseBaht, type Satang } from '../core/money.js';
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
  /** The merchant's own texts by name; null where there are none. */
  metadata: Record<string, string> | null;
}

/** What a merchant's request comes to. */
export interface PlaceOrder {
  merchantId: number;
  /** Whether it is bought in the sandbox: as its merchant is. */
  sandbox: boolean;
  referenceId: string;
  content: OrderContent;
  /** What it may cost at most; null for whatever it costs. */
  maxTotal: Satang | null;
  /** Where the buyer ordered from, for suppliers that demand it. */
  endUserIp: string | null;
  requestId: string;
}

export function toContent(dto: CreateOrderDto): OrderContent {
  return {
    userId: dto.user_id,
    serverId: dto.server_id ?? null,
    characterId: dto.character_id ?? null,
    lines: dto.items.map(({ sku, quantity }) => ({ sku, quantity: quantity ?? 1 })),
    metadata: dto.metadata && Object.keys(dto.metadata).length > 0 ? dto.metadata : null,
  };
}

export function toCommand({ merchantId, sandbox }: Customer, dto: CreateOrderDto, requestId: string): PlaceOrder {
  const { reference_id: referenceId, max_total_amount: most, end_user_ip: endUserIp = null } = dto;
  const maxTotal = typeof most === 'string' ? parseBaht(most) : null;
  return { merchantId, sandbox, referenceId, content: toContent(dto), maxTotal, endUserIp, requestId };
}

/** Equal for equal contents only; 32 bytes. Without metadata it is as it was before there was any. */
export function contentHash({ userId, serverId, characterId, lines, metadata }: OrderContent): Buffer {
  const canonical = JSON.stringify([
    userId,
    serverId,
    characterId,
    lines.map(({ sku, quantity }) => [sku, quantity]),
    ...(metadata ? [byName(metadata)] : []),
  ]);
  return hash('sha256', canonical, 'buffer');
}

/** The order of an object's members means nothing. */
const byName = (metadata: Record<string, string>): [name: string, text: string][] =>
  Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1));
