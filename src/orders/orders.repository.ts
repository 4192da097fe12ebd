import { Injectable } from '@nestjs/common';
import {
  Database,
  type Queryable,
  type Transaction,
  type BoundStatement,
  type Statement,
} from '../database/database.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import type { Admitted } from './placement-rows.js';
import { readArchivedOrder } from './archived-order.js';
import type { OrderReference } from './order-reference.entity.js';
import { hasStatus, itemColumns, itemStatusIn, orderColumns } from './order-columns.sql.js';
import { STORED_ORDER_COLUMNS, type ItemRow, type OrderRow } from './order.rows.js';
import { rowsOf, statement } from '../database/parameters.js';
import type { Order } from './order.entity.js';
import { MAX_LIMIT } from '../core/pagination.js';
import type { OrderStatus } from './states.js';
import type { Satang } from '../core/money.js';

/** `BETWEEN x AND x ORDER BY` makes PostgreSQL use the unique index of references: {@link LIST_EARLIER} has the reason. */
const FIND_BY_REFERENCE: Statement = {
  name: 'orders.find_by_reference',
  text: `SELECT ${orderColumns('orders')} FROM orders WHERE merchant_id = $1 AND reference_id BETWEEN $2 AND $2
         ORDER BY reference_id LIMIT 1`,
};

/** The columns of an order with an item. Both tables have a status and a failure, so those of the item are named `item_…`. */
const JOINED_COLUMNS = `
  o.*, i.order_id, i.position, i.sku, i.quantity, i.list_price, i.unit_price, i.kind, i.completed_quantity, i.failed_quantity,
  ${itemStatusIn('i')} AS item_status, i.failure_code AS item_failure_code, i.failure_message AS item_failure_message`;

/** An order with one of its items. */
type JoinedRow = OrderRow &
  Omit<ItemRow, 'status' | 'failure_code' | 'failure_message'> & {
    item_status: ItemRow['status'];
    item_failure_code: ItemRow['failure_code'];
    item_failure_message: ItemRow['failure_message'];
  };

/** Reads order and items in one statement, so that no settlement falls between the two. */
export const FIND_WITH_ITEMS: Statement = {
  name: 'orders.find_with_items',
  text: `SELECT ${JOINED_COLUMNS}
         FROM (${FIND_BY_REFERENCE.text}) o JOIN order_items i ON i.order_id = o.id ORDER BY i.position`,
};

/** $1 merchant, $2 reference. */
const FIND_ARCHIVED: Statement = {
  name: 'orders.find_archived',
  text: `SELECT order_id, merchant_id, reference_id, order_number, answer, answer_version FROM order_references
         WHERE merchant_id = $1 AND reference_id BETWEEN $2 AND $2 ORDER BY reference_id LIMIT 1`,
};

export const LIST_ITEMS_OF: Statement = {
  name: 'orders.list_items_of',
  text: `SELECT ${itemColumns('i')} FROM order_items i WHERE order_id = ANY($1::bigint[]) ORDER BY order_id, position`,
};

/** FROM clauses for a page of at most one order. `BETWEEN x AND x ORDER BY` has the reason of {@link LIST_EARLIER}. */
const byReference = (value: string): string => `(
  SELECT * FROM orders WHERE merchant_id = $1 AND reference_id BETWEEN ${value} AND ${value}
  ORDER BY reference_id LIMIT 1) AS orders`;
const byNumber = (value: string): string => `(
  SELECT * FROM orders WHERE order_number BETWEEN ${value} AND ${value} ORDER BY order_number LIMIT 1) AS orders`;

/** The filters of a page, except the filter by time, which is in {@link OrderPage}. */
export interface PageFilter {
  status?: OrderStatus | undefined;
  orderNumber?: string | undefined;
  userId?: string | undefined;
  referenceId?: string | undefined;
}

/** A page of a merchant's orders. */
export interface OrderPage {
  merchantId: number;
  filter: PageFilter;
  /** The last order of the previous page. */
  after: { createdAt: Date; id: bigint } | null;
  createdFrom: Date | null;
  createdTo: Date | null;
  /** At most {@link MAX_ROWS_OF_PAGE}. */
  limit: number;
}

/** One row more than the longest page: that row shows that another page follows. */
const MAX_ROWS_OF_PAGE = MAX_LIMIT + 1;

/**
 * Makes one statement per combination of filters, so that PostgreSQL plans each combination with its own index. Keep the
 * conditions literal and the inner LIMIT constant. Otherwise PostgreSQL estimates too high a cost for the cached plan and
 * plans every page again, which takes longer than to read the page.
 */
export function pageOf({ merchantId, filter, after, createdFrom, createdTo, limit }: OrderPage): BoundStatement {
  const { referenceId, orderNumber, userId, status } = filter;
  const values: unknown[] = [merchantId];
  const names: string[] = [];
  const conditions = ['merchant_id = $1'];
  let from = 'orders';
  const add = (value: unknown): string => `$${values.push(value)}`;
  const named = (name: string, value: string): string => {
    names.push(name);
    return `${add(value)}::text`;
  };
  if (referenceId !== undefined) from = byReference(named('reference', referenceId));
  if (orderNumber !== undefined) {
    const value = named('number', orderNumber);
    if (referenceId === undefined) from = byNumber(value);
    else conditions.push(`order_number = ${value}`);
  }
  if (userId !== undefined) conditions.push(`user_id = ${named('user', userId)}`);
  if (status !== undefined) conditions.push(hasStatus('orders', status));
  names.push(status ?? 'all');
  if (after) {
    names.push('after');
    conditions.push(`(created_at, id) < (${add(after.createdAt)}::timestamptz, ${add(after.id)}::bigint)`);
  }
  if (createdFrom ?? createdTo) {
    names.push('within');
    conditions.push(`created_at >= ${add(createdFrom ?? '-infinity')}::timestamptz`);
    conditions.push(`created_at <= ${add(createdTo ?? 'infinity')}::timestamptz`);
  }
  const text = `SELECT ${JOINED_COLUMNS}
         FROM (SELECT ${orderColumns('newest')}
               FROM (SELECT ${STORED_ORDER_COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
                              ORDER BY created_at DESC, id DESC LIMIT ${MAX_ROWS_OF_PAGE}) newest
               ORDER BY created_at DESC, id DESC LIMIT ${add(limit)}) o
         JOIN order_items i ON i.order_id = o.id
         ORDER BY o.created_at DESC, o.id DESC, i.position`;
  return { statement: { name: `orders.page.${names.join('.')}`, text }, values };
}

/** The order that already has a requested reference. */
export type EarlierOrder = Pick<Order, 'merchant_id' | 'reference_id' | 'order_number' | 'content_hash'>;

/**
 * Runs under the wallets' locks, so that it sees every order that these merchants placed before. `BETWEEN x AND x ORDER BY`
 * makes PostgreSQL use the unique index of references. With `=`, a plan from the time when the table was empty might read all
 * orders of a merchant by another index. Archived orders have their references in `order_references`.
 */
export const LIST_EARLIER = statement(
  'placement.list_earlier',
  { requested: rowsOf({ merchant_id: 'int', reference_id: 'text' }) },
  ({ requested }) => `
    SELECT o.merchant_id, o.reference_id, o.order_number, o.content_hash
    FROM ${requested.as('requested')}
    CROSS JOIN LATERAL (
      (SELECT merchant_id, reference_id, order_number, content_hash FROM orders
       WHERE merchant_id = requested.merchant_id AND reference_id BETWEEN requested.reference_id AND requested.reference_id
       ORDER BY reference_id LIMIT 1)
      UNION ALL
      (SELECT merchant_id, reference_id, order_number, content_hash FROM order_references
       WHERE merchant_id = requested.merchant_id AND reference_id BETWEEN requested.reference_id AND requested.reference_id
       ORDER BY reference_id LIMIT 1)
      LIMIT 1) o`,
);

/**
 * Writes the orders of a batch with items, units, transfers and balances. `taken` is the sum that each merchant's
 * orders move from its available to its held balance. Transfers get their ids in the order of arrival, so that each
 * balance in a merchant's account statement follows from the one before.
 */
export const INSERT_ORDERS = statement(
  'placement.insert_orders',
  {
    orders: rowsOf({
      merchant_id: 'int',
      sandbox: 'boolean',
      order_number: 'text',
      reference_id: 'text',
      content_hash: 'bytea',
      user_id: 'text',
      server_id: 'text?',
      character_id: 'text?',
      metadata: 'text?',
      end_user_ip: 'text?',
      subtotal: 'bigint',
      total: 'bigint',
      item_count: 'smallint',
      request_id: 'text',
      available_after: 'bigint',
    }),
    items: rowsOf({
      order_number: 'text',
      position: 'smallint',
      sku: 'text',
      quantity: 'smallint',
      list_price: 'bigint',
      unit_price: 'bigint',
      supplier_id: 'int',
      supplier_sku: 'text',
      player_template: 'text?',
      expected_cost_micros: 'bigint?',
      max_cost_micros: 'bigint?',
      cost_currency: 'text?',
      baht_per_unit: 'text?',
      passed_over: 'text?',
      kind: 'text',
    }),
    taken: rowsOf({ merchant_id: 'int', amount: 'bigint' }),
    now: 'timestamptz',
  },
  ({ orders, items, taken, now }) => `
    WITH requested AS (
      SELECT * FROM ${orders.numbered('requested', 'arrival')}),
    placed AS (
      INSERT INTO orders (merchant_id, sandbox, order_number, reference_id, content_hash, user_id, server_id, character_id,
                          metadata, end_user_ip, subtotal_amount, discount_amount, total_amount, open_items, request_id,
                          created_at, updated_at)
      SELECT merchant_id, sandbox, order_number, reference_id, content_hash, user_id, server_id, character_id,
             metadata::json, end_user_ip, subtotal, subtotal - total, total, item_count, request_id, ${now}, ${now}
      FROM requested ORDER BY arrival
      RETURNING id, order_number, merchant_id),
    lines AS (
      SELECT placed.id, placed.merchant_id, line.* FROM ${items.as('line')} JOIN placed USING (order_number)),
    placed_items AS (
      INSERT INTO order_items (order_id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku,
                               player_template, expected_cost_micros, max_cost_micros, cost_currency, baht_per_unit,
                               passed_over, kind)
      SELECT id, position, sku, quantity, list_price, unit_price, supplier_id, supplier_sku, player_template,
             expected_cost_micros, max_cost_micros, cost_currency, baht_per_unit::numeric, passed_over::jsonb, kind
      FROM lines),
    placed_units AS (
      INSERT INTO order_units (order_id, item, unit, supplier_id, merchant_id, next_action_at, updated_at)
      SELECT id, position, unit, supplier_id, merchant_id, ${now}, ${now}
      FROM lines CROSS JOIN LATERAL generate_series(1, quantity) AS unit),
    moved AS (
      INSERT INTO transfers (merchant_id, kind, debit_account, credit_account, amount, available_after, order_id,
                             created_at)
      SELECT requested.merchant_id, 'order_hold', 'available', 'held', total, available_after, placed.id, ${now}
      FROM requested JOIN placed USING (order_number) WHERE total > 0 ORDER BY arrival)
    UPDATE wallets SET available = available - taken.amount, held = held + taken.amount, updated_at = ${now}
    FROM ${taken.as('taken')}
    WHERE wallets.merchant_id = taken.merchant_id`,
);

export interface OrderWithItems {
  order: OrderRow;
  items: ItemRow[];
}

/** Orders with their items, for merchants. */
@Injectable()
export class OrdersRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
  ) {}

  async find(merchantId: number, referenceId: string): Promise<OrderWithItems | null> {
    const rows = await this.database.query<JoinedRow>(FIND_WITH_ITEMS, [merchantId, referenceId]);
    return groupByOrder(rows)[0] ?? null;
  }

  /** Finds an archived order, in its final state. */
  async findArchived(merchantId: number, referenceId: string): Promise<OrderWithItems | null> {
    const [archived] = await this.database.query<OrderReference>(FIND_ARCHIVED, [merchantId, referenceId]);
    return archived ? readArchivedOrder(archived) : null;
  }

  /** Newest first. */
  async page(page: OrderPage): Promise<OrderWithItems[]> {
    const { statement, values } = pageOf(page);
    const { referenceId, orderNumber } = page.filter;
    // A merchant may look for an order just after placing it. A replica may not have the order yet.
    const isLookup = referenceId !== undefined || orderNumber !== undefined;
    return groupByOrder(
      await (isLookup ? this.reads.query<JoinedRow>(statement, values) : this.reads.list<JoinedRow>(statement, values)),
    );
  }

  /** Lists the earlier orders with these references, also archived orders. */
  listEarlier(tx: Queryable, requested: Pick<EarlierOrder, 'merchant_id' | 'reference_id'>[]): Promise<EarlierOrder[]> {
    return tx.query<EarlierOrder>(...LIST_EARLIER.with({ requested }));
  }

  /** Writes orders with items and units, and moves their prices from available to held. */
  insert(tx: Transaction, orders: Admitted[], now: Date): void {
    tx.write(...INSERT_ORDERS.with(insertInput(orders, now)));
  }
}

/** @param rows must be sorted by order, and within an order by item. */
function groupByOrder(rows: JoinedRow[]): OrderWithItems[] {
  const orders: OrderWithItems[] = [];
  for (const row of rows) {
    const last = orders.at(-1);
    if (last?.order.id === row.id) last.items.push(toItemRow(row));
    else orders.push({ order: row, items: [toItemRow(row)] });
  }
  return orders;
}

const toItemRow = (row: JoinedRow): ItemRow => ({
  ...row,
  status: row.item_status,
  failure_code: row.item_failure_code,
  failure_message: row.item_failure_message,
});

function insertInput(admitted: Admitted[], now: Date): Parameters<typeof INSERT_ORDERS.with>[0] {
  const orders = admitted.map(({ command, hash, orderNumber, lines, amounts, availableAfter }) => ({
    merchant_id: command.merchantId,
    sandbox: command.sandbox,
    order_number: orderNumber,
    reference_id: command.referenceId,
    content_hash: hash,
    user_id: command.content.userId,
    server_id: command.content.serverId,
    character_id: command.content.characterId,
    metadata: command.content.metadata && JSON.stringify(command.content.metadata),
    end_user_ip: command.endUserIp,
    subtotal: amounts.subtotal,
    total: amounts.total,
    item_count: lines.length,
    request_id: command.requestId,
    available_after: availableAfter,
  }));
  const items = admitted.flatMap(({ orderNumber, lines }) =>
    lines.map(({ product, quantity }, index) => ({
      order_number: orderNumber,
      position: index + 1,
      sku: product.sku,
      quantity,
      list_price: product.list_price,
      unit_price: product.unit_price,
      supplier_id: product.supplier_id,
      supplier_sku: product.supplier_sku,
      player_template: product.player_template,
      expected_cost_micros: product.expected_cost_micros,
      max_cost_micros: product.max_cost_micros,
      cost_currency: product.cost_currency,
      baht_per_unit: product.baht_per_unit,
      passed_over: product.passed_over,
      kind: product.kind,
    })),
  );
  const sums = new Map<number, Satang>();
  for (const { merchant_id, total } of orders) sums.set(merchant_id, (sums.get(merchant_id) ?? 0n) + total);
  const taken = [...sums].map(([merchant_id, amount]) => ({ merchant_id, amount }));
  return { orders, items, taken, now };
}
