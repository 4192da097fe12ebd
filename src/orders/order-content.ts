import { hash } from 'node:crypto';
import type { Customer } from '../catalog/listings.repository.js';
import { parseBaht, type Satang } from '../core/money.js';
import type { CreateOrderDto } from './order-requests.dto.js';

/** One line of the request. A missing quantity is 1. */
export interface OrderLine {
  sku: string;
  quantity: number;
}

/** Two requests with the same reference must agree on these members (contract, section 2). */
export interface OrderContent {
  userId: string;
  serverId: string | null;
  characterId: string | null;
  lines: OrderLine[];
  /** The merchant's own texts by name; null if there are none. */
  metadata: Record<string, string> | null;
}

/** A merchant's request for an order. */
export interface PlaceOrder {
  merchantId: number;
  /** Copied from the merchant. */
  sandbox: boolean;
  referenceId: string;
  content: OrderContent;
  /** The merchant's limit for the order's total; null without a limit. */
  maxTotal: Satang | null;
  /** The buyer's IP address, for suppliers that demand it. */
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
  const { reference_id: referenceId, max_total_amount: total, end_user_ip: endUserIp = null } = dto;
  const maxTotal = typeof total === 'string' ? parseBaht(total) : null;
  return { merchantId, sandbox, referenceId, content: toContent(dto), maxTotal, endUserIp, requestId };
}

/** A hash of 32 bytes. Without metadata, it equals the hash of earlier versions, which had no metadata. */
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

/** Sorts the texts, because the order of an object's members means nothing. */
const byName = (metadata: Record<string, string>): [name: string, text: string][] =>
  Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1));
