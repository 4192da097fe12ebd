import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { ReplicaReadsService } from '../database/replica-reads.service.js';
import type { OrderDto } from '../orders/order.dto.js';
import { toOrderDto } from '../orders/order.mapper.js';
import { unitName, unitReference, type ItemRow, type OrderRow, type UnitRow } from '../orders/order.rows.js';
import { inSnapshot, inIndexedSnapshot } from '../database/snapshot.js';
import { toAttemptView, type AttemptView } from './attempt-view.js';
import { toTimeline, type TimelineEntry } from './order-timeline.js';
import { AmbiguousReference } from './order-problems.js';
import { OrderSupportRepository, type AttemptOfUnit, type OrderFilter } from './order-support.repository.js';

/** As its merchant sees it, with whose it is; marked where it is an order of the sandbox. */
export type ListedOrder = OrderDto & { merchant_id: number; sandbox?: true };

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
  attempts_detail: AttemptView[];
}

/** An order with everything that an operator may want to know of it. */
export type OrderDetail = ListedOrder & { units: UnitView[]; timeline: TimelineEntry[] };

/** The operator's view of orders, over all merchants. */
@Injectable()
export class OrderSupportService {
  constructor(
    private readonly database: Database,
    private readonly reads: ReplicaReadsService,
    private readonly orders: OrderSupportRepository,
  ) {}

  /**
   * An order by its number or, when no order has that, by its merchant's reference.
   * @param merchantId the merchant whose order it must be, if given.
   * @throws NOT_FOUND; AmbiguousReference.
   */
  find(numberOrReference: string, merchantId?: number): Promise<OrderRow> {
    return this.database.transaction((tx) => this.findIn(tx, numberOrReference, merchantId));
  }

  /** An order as {@link find} finds it, with all that is known of it. */
  async show(numberOrReference: string, merchantId?: number): Promise<OrderDetail> {
    return inSnapshot(this.database, async (tx) => {
      const order = await this.findIn(tx, numberOrReference, merchantId);
      const [listed] = await this.withItems(tx, [order]);
      const units = await this.orders.listUnits(tx, order.id);
      const attempts = await this.orders.listAttempts(tx, order.id);
      const history = await this.orders.listHistory(tx, order.id);
      return {
        ...present(listed, 'an order that was found is listed'),
        units: units.map((unit) => toUnitView(order.order_number, unit, attempts)),
        timeline: toTimeline(history),
      };
    });
  }

  /** Orders of all merchants, newest first. */
  list(filter: OrderFilter): Promise<ListedOrder[]> {
    return inIndexedSnapshot(this.reads, async (tx) => this.withItems(tx, await this.orders.list(tx, filter)));
  }

  private async findIn(tx: Transaction, asked: string, merchantId?: number): Promise<OrderRow> {
    const byNumber = await this.orders.findByNumber(tx, asked, merchantId);
    if (byNumber) return byNumber;
    const [found, ...others] = await this.orders.findByReference(tx, asked, merchantId);
    if (!found) {
      const whose = merchantId === undefined ? '' : ` of merchant ${merchantId}`;
      throw new AppError('NOT_FOUND', `there is no order${whose} with the number or reference ${asked}`);
    }
    if (others.length > 0) throw new AmbiguousReference(asked, [found, ...others]);
    return found;
  }

  private async withItems(tx: Transaction, orders: OrderRow[]): Promise<ListedOrder[]> {
    const items = new Map<bigint, ItemRow[]>(orders.map(({ id }) => [id, []]));
    for (const item of await this.orders.listItems(tx, [...items.keys()])) {
      items.get(item.order_id)?.push(item);
    }
    return orders.map((order) => ({
      ...toOrderDto(order, items.get(order.id) ?? []),
      merchant_id: order.merchant_id,
      ...(order.sandbox && { sandbox: true }),
    }));
  }
}

function toUnitView(orderNumber: string, unit: UnitRow, ofOrder: AttemptOfUnit[]): UnitView {
  const attempts = ofOrder.filter(({ item, unit: piece }) => item === unit.item && piece === unit.unit);
  return {
    unit: unitName(unit),
    // By which its supplier knows it now; before anything was sent, the name that it has here.
    reference: attempts.at(-1)?.reference ?? unitReference(orderNumber, unit),
    state: unit.state,
    supplier: unit.supplier,
    supplier_reference: unit.supplier_reference,
    failure_code: unit.failure_code,
    attempts: unit.sends,
    attempts_detail: attempts.map(toAttemptView),
  };
}
