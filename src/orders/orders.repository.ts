import { Injectable } from '@nestjs/common';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import { insertInput, type Admitted } from './placement-rows.js';
import { FIND_EARLIER, INSERT_ORDERS, type EarlierOrder } from './placement.sql.js';
import { readAnswer } from './archived-order.js';
import type { OrderReference } from './order-reference.entity.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import { FIND_ARCHIVED, FIND_WITH_ITEMS, pageOf, type JoinedRow, type OrderPage } from './orders.sql.js';

export interface OrderWithItems {
  order: OrderRow;
  items: ItemRow[];
}

/** Orders with their items, as merchants place and read them. */
@Injectable()
export class OrdersRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
  ) {}

  /** The merchant's order with this reference. */
  async find(merchantId: number, referenceId: string): Promise<OrderWithItems | null> {
    const rows = await this.database.query<JoinedRow>(FIND_WITH_ITEMS, [merchantId, referenceId]);
    return groupByOrder(rows)[0] ?? null;
  }

  /** The same of an order that was archived: as it ended. */
  async findArchived(merchantId: number, referenceId: string): Promise<OrderWithItems | null> {
    const [kept] = await this.database.query<OrderReference>(FIND_ARCHIVED, [merchantId, referenceId]);
    return kept ? readAnswer(kept) : null;
  }

  /** Newest first. */
  async page(page: OrderPage): Promise<OrderWithItems[]> {
    const { statement, values } = pageOf(page);
    const { referenceId, orderNumber } = page.filter;
    // Whether there is one order may be asked a moment after it was placed: no replica may say that there is none.
    const isOfOne = referenceId !== undefined || orderNumber !== undefined;
    return groupByOrder(
      await (isOfOne ? this.reads.query<JoinedRow>(statement, values) : this.reads.list<JoinedRow>(statement, values)),
    );
  }

  /** The orders, archived or not, that hold these references already. */
  findEarlier(tx: Queryable, asked: Pick<EarlierOrder, 'merchant_id' | 'reference_id'>[]): Promise<EarlierOrder[]> {
    return tx.query<EarlierOrder>(...FIND_EARLIER.with({ asked }));
  }

  /** Writes orders with all that belongs to them, and takes their prices from the wallets. */
  insert(tx: Transaction, orders: Admitted[], now: Date): void {
    tx.write(...INSERT_ORDERS.with(insertInput(orders, now)));
  }
}

/** Rows come order by order, each with its items in their order. */
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
