import { pick } from '../core/members.js';
import { toOrderDto } from '../orders/order.mapper.js';
import type { OrderDto } from '../orders/order.dto.js';
import type { AttemptView } from '../support/attempt-view.js';
import { operatorInWords } from '../support/order-history.js';
import type { HistoryRow } from '../support/order-history.sql.js';
import type { OrderDetail, OrderWithItems, UnitDetail } from '../support/order-support.service.js';
import { limitedList, listTable, paragraphs, recordTable, type Result } from './output.js';

/** An order as its merchant sees it, with the merchant's id. `sandbox` is set only for sandbox orders. */
type ListedOrder = OrderDto & { merchant_id: number; sandbox?: true };

interface UnitView {
  unit: string;
  reference: string;
  state: string;
  supplier: string;
  supplier_reference: string | null;
  failure_code: string | null;
  /** How often workers sent the unit to a supplier. */
  attempts: number;
  attempts_detail: AttemptView[];
}

interface TimelineEntry {
  at: string;
  event: string;
  unit?: string;
  detail?: string;
  process?: string;
}

type OrderView = ListedOrder & { units: UnitView[]; timeline: TimelineEntry[] };

/** An order with its units and its history: as JSON for programs, as tables for people. */
export function orderDetail(order: OrderDetail): Result {
  const view = {
    ...toListedOrder(order),
    units: order.units.map(toUnitView),
    timeline: order.history.filter(isInTimeline).map(toTimelineEntry),
  };
  return { json: view, text: () => orderText(view) };
}

const toListedOrder = (order: OrderWithItems): ListedOrder => ({
  ...toOrderDto(order, order.items),
  merchant_id: order.merchant_id,
  ...(order.sandbox && { sandbox: true }),
});

const toUnitView = (unit: UnitDetail): UnitView => ({
  unit: unit.name,
  ...pick(unit, 'reference', 'state', 'supplier', 'supplier_reference', 'failure_code'),
  attempts: unit.sends,
  attempts_detail: unit.attempts,
});

const EVENTS = /^(order\.(created|completed|failed)|supplier\..+|webhook\.attempt)$/;

/** The timeline leaves out money, claims and the states of units, which the console shows. */
const isInTimeline = ({ kind, operator }: HistoryRow): boolean => operator !== null || EVENTS.test(kind);

function toTimelineEntry(row: HistoryRow): TimelineEntry {
  const { at, kind: event, unit, process } = row;
  const detail = detailOf(row);
  return {
    at: at.toISOString(),
    event,
    ...(unit !== null && { unit }),
    ...(detail !== '' && { detail }),
    ...(process !== null && { process }),
  };
}

function detailOf(row: HistoryRow): string {
  const { kind, operator, outcome, duration_ms, detail, facts } = row;
  if (operator !== null) return operatorInWords(row);
  if (kind === 'order.created') return '';
  const result = duration_ms === null ? outcome : `${outcome} after ${duration_ms} ms`;
  if (kind === 'webhook.attempt') return `webhook ${facts?.webhook}, attempt ${facts?.attempt}: ${result}`;
  // A discrepancy came from no call, so it has no duration. Its detail already says what it is.
  const isDiscrepancy = kind.startsWith('supplier.') && duration_ms === null;
  return [isDiscrepancy ? null : result, detail].filter((part) => part !== null).join(': ');
}

function orderText({ items, units, timeline, created_by: _createdBy, ...order }: OrderView): string {
  const lines = items.map(({ subtotal_amount: _subtotal, discount_amount: _discount, ...item }, index) => ({
    item: index + 1,
    ...item,
  }));
  const attempts = units.flatMap(({ unit, attempts_detail }) =>
    attempts_detail.map((attempt) => ({ unit, ...attempt })),
  );
  // Sets every member, so that the columns have the same order in each table.
  const entries = timeline.map(({ at, event, unit, detail, process }) => ({ at, event, unit, detail, process }));
  return paragraphs(
    recordTable(order),
    `Items\n${listTable(lines)}`,
    `Units\n${listTable(units.map(({ attempts_detail: _attempts, ...unit }) => unit))}`,
    ...(attempts.length > 0 ? [`Attempts\n${listTable(attempts)}`] : []),
    `Timeline\n${listTable(entries)}`,
  );
}

/** Orders in full for programs, and one line for each order for people. */
export function orderList(found: OrderWithItems[], limit: number): Result {
  const orders = found.map(toListedOrder);
  // Without sandbox orders, the column would have the same value in each line.
  const isMarked = orders.some(({ sandbox }) => sandbox);
  const lines = orders.map((order) => ({
    ...pick(order, 'order_number', 'merchant_id'),
    ...(isMarked ? { sandbox: order.sandbox ?? false } : {}),
    ...pick(order, 'reference_id', 'status', 'total_amount'),
    items: order.items.length,
    ...pick(order, 'failure_code', 'created_at'),
  }));
  return { json: orders, text: limitedList(lines, 'There are no such orders.', limit).text };
}
