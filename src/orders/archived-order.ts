import { invariant } from '../core/invariant.js';
import type { OrderReference } from './order-reference.entity.js';
import type { ItemRow, OrderRow } from './order.rows.js';

/** What is kept of an archived order, and of each of its items, in this order: names would take most of the space. */
export const KEPT_OF_ORDER = [
  ...(['user_id', 'server_id', 'character_id', 'metadata', 'status'] as const),
  ...(['subtotal_amount', 'discount_amount', 'total_amount', 'failure_code', 'failure_message'] as const),
  ...(['created_at', 'updated_at', 'sandbox'] as const),
] satisfies (keyof OrderRow)[];

export const KEPT_OF_ITEM = [
  ...(['position', 'sku', 'quantity', 'list_price', 'unit_price', 'kind', 'status'] as const),
  ...(['completed_quantity', 'failed_quantity', 'failure_code', 'failure_message'] as const),
] satisfies (keyof ItemRow)[];

const AMOUNTS = new Set(['subtotal_amount', 'discount_amount', 'total_amount', 'list_price', 'unit_price']);
const MOMENTS = new Set(['created_at', 'updated_at']);

/** The rows of an order as they were when it was archived, as far as merchants see them. */
export function readAnswer({ answer, ...kept }: Omit<OrderReference, 'content_hash'>): {
  order: OrderRow;
  items: ItemRow[];
} {
  invariant(answer.length === KEPT_OF_ORDER.length + 1, 'an archived order has all that is kept of one');
  const { order_id: id, ...names } = kept;
  const items = (answer.at(-1) as unknown[][]).map((item) => ({
    order_id: id,
    ...named(KEPT_OF_ITEM, item),
  }));
  return {
    order: { id, ...names, ...named(KEPT_OF_ORDER, answer) } as OrderRow,
    items: items as ItemRow[],
  };
}

const named = (names: readonly string[], values: unknown[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name, index) => [name, typed(name, values[index])]));

/** Amounts are far below what a number can hold exactly. */
function typed(name: string, value: unknown): unknown {
  if (AMOUNTS.has(name)) return BigInt(value as number);
  return MOMENTS.has(name) ? new Date(value as string) : value;
}
