import { Injectable } from '@nestjs/common';
import { AppError } from '../core/errors.js';
import { decodeCursor, encodeCursor, pageLimit, toPage, type Page } from '../core/pagination.js';
import { Database } from '../database/database.js';
import type { CreateOrderDto } from './create-order.dto.js';
import type { OrderListQuery } from './order-list.dto.js';
import { toContent } from './order-content.js';
import { OrderPlacement } from './order-placement.js';
import { toOrderDto, type OrderDto } from './order.dto.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import { FIND_ITEMS_OF, FIND_WITH_ITEMS, PAGES } from './orders.sql.js';

/** The longest reference there can be: a longer one is unknown without asking. */
const MAX_REFERENCE_LENGTH = 256;

/** An order beside one of its items; what both have is the order's, and the item's with a prefix. */
type JoinedRow = OrderRow &
  Omit<ItemRow, 'status' | 'failure_code' | 'failure_message'> & {
    item_status: ItemRow['status'];
    item_failure_code: ItemRow['failure_code'];
    item_failure_message: ItemRow['failure_message'];
  };

@Injectable()
export class OrdersService {
  constructor(
    private readonly database: Database,
    private readonly placement: OrderPlacement,
  ) {}

  /**
   * Places an order, or finds the one that the same request placed before.
   * @returns the order as it stands now, and whether it was there already.
   * @throws see {@link OrderPlacement.place}
   */
  async create(
    merchantId: number,
    dto: CreateOrderDto,
    requestId: string,
  ): Promise<{ order: OrderDto; replayed: boolean }> {
    const command = { merchantId, referenceId: dto.reference_id, content: toContent(dto), requestId };
    const placed = await this.placement.place(command);
    if (placed.replayed) return { order: await this.get(merchantId, dto.reference_id), replayed: true };
    return { order: toOrderDto(placed.order, placed.items), replayed: false };
  }

  /** The merchant's order with this reference. @throws NOT_FOUND */
  async get(merchantId: number, referenceId: string): Promise<OrderDto> {
    // NUL and lone surrogates are no text to PostgreSQL, so no order has them in its reference.
    const possible =
      referenceId.length <= MAX_REFERENCE_LENGTH && !referenceId.includes('\0') && referenceId.isWellFormed();
    const rows = possible
      ? await this.database.query<JoinedRow>(FIND_WITH_ITEMS, [merchantId, referenceId])
      : [];
    const [order] = rows;
    if (!order) throw new AppError('NOT_FOUND', 'There is no order with this reference_id');
    return toOrderDto(order, rows.map(toItemRow));
  }

  /** The merchant's orders, newest first. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: OrderListQuery): Promise<Page<OrderDto>> {
    const limit = pageLimit(query);
    const after = decodeCursor(query.cursor, 2);
    const orders = await this.database.query<OrderRow>(PAGES[query.status ?? 'all'], [
      merchantId,
      after ? new Date(Number(after[0])) : null,
      after?.[1] ?? null,
      query.created_from ?? null,
      query.created_to ?? null,
      limit + 1,
    ]);
    const items = await this.database.query<ItemRow>(FIND_ITEMS_OF, [orders.map(({ id }) => id)]);
    const cursorOf = ({ created_at, id }: OrderRow): string => encodeCursor(created_at.getTime(), id);
    return toPage(orders, limit, cursorOf, (order) =>
      toOrderDto(
        order,
        items.filter(({ order_id }) => order_id === order.id),
      ),
    );
  }
}

const toItemRow = (row: JoinedRow): ItemRow => ({
  ...row,
  status: row.item_status,
  failure_code: row.item_failure_code,
  failure_message: row.item_failure_message,
});
