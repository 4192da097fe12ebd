import { invariant, present } from '../core/invariant.js';
import type { OrderReference } from './order-reference.entity.js';
import type { ItemRow, OrderRow } from './order.rows.js';

/**
 * What is kept of an archived order, and of each of its items, in this order: names would take most of the space. An item
 * begins with its position, SKU and quantity in each of them, since statements find them there.
 */
interface Members {
  order: readonly (keyof OrderRow)[];
  item: readonly ['position', 'sku', 'quantity', ...(keyof ItemRow)[]];
}

/** By version. What was kept is never written anew: to keep something else, add the next version, and leave those before. */
export const KEPT = {
  1: {
    order: [
      ...(['user_id', 'server_id', 'character_id', 'metadata', 'status'] as const),
      ...(['subtotal_amount', 'discount_amount', 'total_amount', 'failure_code', 'failure_message'] as const),
      ...(['created_at', 'updated_at', 'sandbox'] as const),
    ],
    item: [
      ...(['position', 'sku', 'quantity', 'list_price', 'unit_price', 'kind', 'status'] as const),
      ...(['completed_quantity', 'failed_quantity', 'failure_code', 'failure_message'] as const),
    ],
  },
} as const satisfies Record<number, Members>;

/** That of what is kept now. */
export const KEPT_VERSION = 1;

const AMOUNTS = new Set(['subtotal_amount', 'discount_amount', 'total_amount', 'list_price', 'unit_price']);
const MOMENTS = new Set(['created_at', 'updated_at']);

/** The rows of an order as they were when it was archived, as far as merchants see them. */
export function readAnswer({ answer, answer_version: version, ...kept }: Omit<OrderReference, 'content_hash'>): {
  order: OrderRow;
  items: ItemRow[];
} {
  const members = present((KEPT as Record<number, Members>)[version], 'what is kept of orders is of a known version');
  invariant(answer.length === members.order.length + 1, 'an archived order has all that is kept of one');
  const { order_id: id, ...names } = kept;
  const items = (answer.at(-1) as unknown[][]).map((item) => ({
    order_id: id,
    ...named(members.item, item),
  }));
  return {
    order: { id, ...names, ...named(members.order, answer) } as OrderRow,
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
