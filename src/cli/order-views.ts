import type { ListedOrder, OrderDetail } from '../support/order-support.service.js';
import { list, listTable, paragraphs, recordTable, type Result } from './output.js';

/** An order with all that is known of it; for people, the order, then its items, units and timeline as tables. */
export function orderDetail(order: OrderDetail): Result {
  return { json: order, text: () => orderText(order) };
}

function orderText({ items, units, timeline, created_by: _createdBy, ...order }: OrderDetail): string {
  const lines = items.map(({ subtotal_amount: _subtotal, discount_amount: _discount, ...item }, index) => ({
    item: index + 1,
    ...item,
  }));
  const attempts = units.flatMap(({ unit, attempts_detail }) =>
    attempts_detail.map((attempt) => ({ unit, ...attempt })),
  );
  // Members that an entry may lack are columns all the same.
  const entries = timeline.map(({ at, event, unit, detail, process }) => ({
    at,
    event,
    unit,
    detail,
    process,
  }));
  return paragraphs(
    recordTable(order),
    `Items\n${listTable(lines)}`,
    `Units\n${listTable(units.map(({ attempts_detail: _attempts, ...unit }) => unit))}`,
    ...(attempts.length > 0 ? [`Attempts\n${listTable(attempts)}`] : []),
    `Timeline\n${listTable(entries)}`,
  );
}

/** Orders in full for programs, and in a line each for people. */
export function orderList(orders: ListedOrder[], limit: number): Result {
  // A column that says the same of each order would only take room.
  const isMarked = orders.some(({ sandbox }) => sandbox);
  const lines = orders.map((order) => ({
    order_number: order.order_number,
    merchant_id: order.merchant_id,
    ...(isMarked ? { sandbox: order.sandbox ?? false } : {}),
    reference_id: order.reference_id,
    status: order.status,
    total_amount: order.total_amount,
    items: order.items.length,
    failure_code: order.failure_code,
    created_at: order.created_at,
  }));
  const more = orders.length === limit ? `The newest ${limit}; --limit shows more.` : undefined;
  return { json: orders, text: list(lines, 'There are no such orders.', more).text };
}
