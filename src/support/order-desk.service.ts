import { Injectable } from '@nestjs/common';
import { FIND_ITEMS_OF } from '../orders/orders.sql.js';
import { AppError } from '../core/errors.js';
import { Database, type Queryable } from '../database/database.js';
import { toOrderDto, type OrderDto } from '../orders/order.dto.js';
import { unitName, unitReference, type ItemRow, type OrderRow, type UnitRow } from '../orders/order.rows.js';
import { atOneMoment, atOneMomentByIndex } from '../database/snapshot.js';
import { FIND_BY_NUMBER, FIND_BY_REFERENCE, FIND_TIMELINE, FIND_UNITS } from './order-desk.sql.js';
import { listOrders, type OrderFilter } from './order-list.sql.js';

export type ListedOrder = OrderDto & { merchant_id: number };

/** One piece of one item, as its supplier and we know it. */
export interface UnitView {
  unit: string;
  reference: string;
  state: string;
  supplier: string;
  supplier_reference: string | null;
  failure_code: string | null;
  /** How often it was sent to the supplier. */
  attempts: number;
}

/** Something that happened to an order. */
export interface TimelineEntry {
  at: string;
  event: string;
  unit?: string;
  detail?: string;
  process?: string;
}

/** An order with everything that an operator may want to know of it. */
export type OrderFile = ListedOrder & { units: UnitView[]; timeline: TimelineEntry[] };

interface TimelineRow {
  at: Date;
  event: string;
  unit: string | null;
  detail: string | null;
  process: string | null;
}

/** The operator's view of orders, over all merchants. */
@Injectable()
export class OrderDesk {
  constructor(private readonly database: Database) {}

  /**
   * An order by its number or, when no order has that, by its merchant's reference.
   * @param merchantId the merchant whose order it must be, if given.
   * @throws NOT_FOUND; CONFLICT for a reference of several merchants, naming their orders.
   */
  find(numberOrReference: string, merchantId?: number): Promise<OrderRow> {
    return findOrder(this.database, numberOrReference, merchantId ?? null);
  }

  /** An order as {@link find} finds it, with all that is known of it. */
  async show(numberOrReference: string, merchantId?: number): Promise<OrderFile> {
    return atOneMoment(this.database, async (tx) => {
      const order = await findOrder(tx, numberOrReference, merchantId ?? null);
      const [listed] = await withItems(tx, [order]);
      if (!listed) throw new Error(`order ${order.order_number} has no items`);
      const units = await tx.query<UnitRow>(FIND_UNITS, [order.id]);
      const timeline = await tx.query<TimelineRow>(FIND_TIMELINE, [order.id]);
      return {
        ...listed,
        units: units.map((unit) => toUnitView(order.order_number, unit)),
        timeline: timeline.map(toTimelineEntry),
      };
    });
  }

  /** Orders of all merchants, newest first. */
  list(filter: OrderFilter): Promise<ListedOrder[]> {
    const { statement, values } = listOrders(filter);
    return atOneMomentByIndex(this.database, async (tx) =>
      withItems(tx, await tx.query<OrderRow>(statement, values)),
    );
  }
}

async function findOrder(tx: Queryable, asked: string, merchantId: number | null): Promise<OrderRow> {
  const [byNumber] = await tx.query<OrderRow>(FIND_BY_NUMBER, [asked, merchantId]);
  if (byNumber) return byNumber;
  const [found, ...others] = await tx.query<OrderRow>(FIND_BY_REFERENCE, [asked, merchantId]);
  if (!found) {
    const whose = merchantId === null ? '' : ` of merchant ${merchantId}`;
    throw new AppError('NOT_FOUND', `there is no order${whose} with the number or reference ${asked}`);
  }
  if (others.length === 0) return found;
  const candidates = [found, ...others].map(
    ({ order_number, merchant_id }) => `\n  ${order_number} of merchant ${merchant_id}`,
  );
  throw new AppError(
    'CONFLICT',
    `several merchants have an order with the reference ${asked}: add --merchant, or give a number` +
      candidates.join(''),
  );
}

async function withItems(tx: Queryable, orders: OrderRow[]): Promise<ListedOrder[]> {
  const items = new Map<bigint, ItemRow[]>(orders.map(({ id }) => [id, []]));
  for (const item of await tx.query<ItemRow>(FIND_ITEMS_OF, [[...items.keys()]])) {
    items.get(item.order_id)?.push(item);
  }
  return orders.map((order) => ({
    ...toOrderDto(order, items.get(order.id) ?? []),
    merchant_id: order.merchant_id,
  }));
}

const toUnitView = (orderNumber: string, unit: UnitRow): UnitView => ({
  unit: unitName(unit),
  reference: unitReference(orderNumber, unit),
  state: unit.state,
  supplier: unit.supplier,
  supplier_reference: unit.supplier_reference,
  failure_code: unit.failure_code,
  attempts: unit.sends,
});

const toTimelineEntry = ({ at, event, unit, detail, process }: TimelineRow): TimelineEntry => ({
  at: at.toISOString(),
  event,
  ...(unit === null ? {} : { unit }),
  ...(detail === null ? {} : { detail }),
  ...(process === null ? {} : { process }),
});
