import { Inject, Injectable } from '@nestjs/common';
import { LOGGER } from '../core/core.module.js';
import { AppError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import {
  decodeCursor,
  encodeCursor,
  MAX_BIGINT,
  MAX_DATE_MS,
  pageLimit,
  readMoment,
  toPage,
  type Page,
} from '../core/pagination.js';
import { Database } from '../database/database.js';
import { Reads } from '../database/reads.js';
import type { CreateOrderDto } from './create-order.dto.js';
import type { OrderListQuery } from './order-list.dto.js';
import { toContent } from './order-content.js';
import { OrderPlacement } from './order-placement.js';
import { toOrderDto, type OrderDto } from './order.dto.js';
import type { ItemRow, OrderRow } from './order.rows.js';
import { FIND_WITH_ITEMS, PAGES } from './orders.sql.js';

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
    private readonly reads: Reads,
    private readonly placement: OrderPlacement,
    @Inject(LOGGER) private readonly logger: Logger,
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
    const about = { requestId, merchantId, referenceId: dto.reference_id };
    if (placed.replayed) {
      this.logger.debug(about, 'order was placed before');
      return { order: await this.get(merchantId, dto.reference_id), replayed: true };
    }
    this.logger.info({ ...about, orderNumber: placed.order.order_number }, 'order placed');
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
    const [createdAtMs, id] = decodeCursor(query.cursor, [MAX_DATE_MS, MAX_BIGINT]) ?? [];
    const rows = await this.reads.query<JoinedRow>(PAGES[query.status ?? 'all'], [
      merchantId,
      createdAtMs === undefined ? null : new Date(Number(createdAtMs)),
      id ?? null,
      query.created_from === undefined ? null : readMoment(query.created_from),
      query.created_to === undefined ? null : readMoment(query.created_to),
      limit + 1,
    ]);
    const orders = groupByOrder(rows);
    const cursorOf = ({ order }: OrderWithItems): string =>
      encodeCursor(order.created_at.getTime(), order.id);
    return toPage(orders, limit, cursorOf, ({ order, items }) => toOrderDto(order, items));
  }
}

interface OrderWithItems {
  order: OrderRow;
  items: ItemRow[];
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
