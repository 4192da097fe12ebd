import { Inject, Injectable } from '@nestjs/common';
import type { Customer } from '../catalog/listings.repository.js';
import { LOGGER } from '../core/core.module.js';
import { AppError } from '../core/errors.js';
import type { Logger } from '../core/logger.js';
import { readMoment } from '../core/moments.js';
import { mayBeStored } from '../core/text.js';
import {
  decodeCursor,
  encodeCursor,
  MAX_BIGINT,
  MAX_DATE_MS,
  pageLimit,
  toPage,
  type Page,
} from '../core/pagination.js';
import type { CreateOrderDto, OrderListQuery } from './order-requests.dto.js';
import { toCommand } from './order-content.js';
import { UnitDeliveriesService } from './codes/unit-deliveries.service.js';
import { OrderPlacementService } from './order-placement.service.js';
import type { OrderDto } from './order.dto.js';
import { mayHaveDeliveries, toOrderDto } from './order.mapper.js';
import { OrdersRepository, type OrderWithItems } from './orders.repository.js';

/** In UTF-16 units. A reference has at most 128 characters, so a longer text needs no query. */
const MAX_REFERENCE_LENGTH = 256;

/** An order in its current state. `replayed`: an earlier request with the same content placed the order. */
export interface CreatedOrder {
  order: OrderDto;
  replayed: boolean;
}

@Injectable()
export class OrdersService {
  constructor(
    private readonly orders: OrdersRepository,
    private readonly placement: OrderPlacementService,
    private readonly deliveries: UnitDeliveriesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Places an order, or returns the order that an earlier request with the same content placed.
   * @throws see {@link OrderPlacementService.place}
   */
  async create(customer: Customer, dto: CreateOrderDto, requestId: string): Promise<CreatedOrder> {
    const { merchantId } = customer;
    const placed = await this.placement.place(toCommand(customer, dto, requestId));
    const about = { requestId, merchantId, referenceId: dto.reference_id };
    if (placed.replayed) {
      this.logger.debug(about, 'order was placed before');
      const { order, items } = await this.find(merchantId, dto.reference_id);
      return { order: toOrderDto(order, items), replayed: true };
    }
    this.logger.info({ orderNumber: placed.order.order_number, ...about }, 'order placed');
    return { order: toOrderDto(placed.order, placed.items), replayed: false };
  }

  /** The order with its codes and serial numbers. @throws NOT_FOUND */
  async get(merchantId: number, referenceId: string): Promise<OrderDto> {
    const { order, items, isArchived } = await this.find(merchantId, referenceId);
    const ended = items.filter(mayHaveDeliveries);
    if (ended.length === 0) return toOrderDto(order, items);
    const delivered = isArchived
      ? await this.deliveries.ofArchived(order.id, ended)
      : await this.deliveries.ofOrder(order.id);
    return toOrderDto(order, items, delivered);
  }

  /** The merchant's orders, newest first. @throws BAD_REQUEST for a bad cursor */
  async list(merchantId: number, query: OrderListQuery): Promise<Page<OrderDto>> {
    const limit = pageLimit(query);
    const [createdAtMs, id] = decodeCursor(query.cursor, [MAX_DATE_MS, MAX_BIGINT]) ?? [];
    const orders = await this.orders.page({
      merchantId,
      filter: {
        status: query.status,
        orderNumber: query.order_number,
        userId: query.user_id,
        referenceId: query.reference_id,
      },
      after: createdAtMs === undefined || id === undefined ? null : { createdAt: new Date(Number(createdAtMs)), id },
      createdFrom: query.created_from === undefined ? null : readMoment(query.created_from),
      createdTo: query.created_to === undefined ? null : readMoment(query.created_to),
      limit: limit + 1,
    });
    const cursorOf = ({ order }: OrderWithItems): string => encodeCursor(order.created_at.getTime(), order.id);
    return toPage(orders, limit, cursorOf, ({ order, items }) => toOrderDto(order, items));
  }

  /** @throws NOT_FOUND */
  private async find(merchantId: number, referenceId: string): Promise<OrderWithItems & { isArchived: boolean }> {
    const possible = mayBeStored(referenceId, MAX_REFERENCE_LENGTH);
    const found = possible ? await this.orders.find(merchantId, referenceId) : null;
    if (found) return { ...found, isArchived: false };
    const archived = possible ? await this.orders.findArchived(merchantId, referenceId) : null;
    if (archived) return { ...archived, isArchived: true };
    // An operator may have restored the order from the archive between the two queries.
    const restored = possible ? await this.orders.find(merchantId, referenceId) : null;
    if (!restored) throw new AppError('NOT_FOUND', 'There is no order with this reference_id');
    return { ...restored, isArchived: false };
  }
}
