import { invariant, present } from '../core/invariant.js';
import type { OrderReference } from './order-reference.entity.js';
import type { ItemRow, OrderRow } from './order.rows.js';

/**
 * The members of an archived order and of its items that its row in `order_references` keeps. The row has only their values, in
 * the sequence of these lists, because names would take most of the space. Every version of an item begins with position, SKU and quantity,
 * because statements read the position and the quantity by their index.
 */
interface Members {
  order: readonly (keyof OrderRow)[];
  item: readonly ['position', 'sku', 'quantity', ...(keyof ItemRow)[]];
}

/** The members by version. The service never rewrites stored values: to store other members, add a version and leave the others. */
export const ARCHIVED_MEMBERS = {
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

/** The version of newly archived orders. */
export const ARCHIVED_MEMBERS_VERSION = 1;

const AMOUNTS = new Set(['subtotal_amount', 'discount_amount', 'total_amount', 'list_price', 'unit_price']);
const MOMENTS = new Set(['created_at', 'updated_at']);

/** Makes the rows of an order and its items from an archived row. @throws BrokenInvariant for an unknown version or a missing value. */
export function readArchivedOrder({ answer, answer_version: version, ...kept }: Omit<OrderReference, 'content_hash'>): {
  order: OrderRow;
  items: ItemRow[];
} {
  const members = present(
    (ARCHIVED_MEMBERS as Record<number, Members>)[version],
    'an archived order has a known version',
  );
  invariant(answer.length === members.order.length + 1, 'an archived order has every member of its version');
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

/** Amounts are numbers in JSON. They are small enough to be exact. */
function typed(name: string, value: unknown): unknown {
  if (AMOUNTS.has(name)) return BigInt(value as number);
  return MOMENTS.has(name) ? new Date(value as string) : value;
}
