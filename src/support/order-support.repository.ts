import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { present } from '../core/invariant.js';
import type { Transaction } from '../database/database.js';
import type { ItemRow, OrderRow, UnitKey, UnitRow } from '../orders/order.rows.js';
import { Order } from '../orders/order.entity.js';
import { OrderUnit } from '../orders/order-unit.entity.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { FIND_HISTORY, type HistoryRow } from './order-history.sql.js';
import { listOrders, type OrderFilter } from './order-list.sql.js';
import { FIND_ITEMS_OF } from '../orders/orders.sql.js';
import {
  FIND_ATTEMPTS,
  FIND_ATTEMPTS_OF_UNIT,
  FIND_BY_REFERENCE,
  FIND_UNIT,
  type AttemptOfUnit,
  type PricedUnit,
} from './order-support.sql.js';

export type { AttemptOfUnit } from './order-support.sql.js';
export type { OrderFilter } from './order-list.sql.js';

/** Who is topped up by an order. */
export type PlayerRow = Pick<Order, 'order_number' | 'user_id' | 'server_id' | 'character_id'>;

/** Orders of all merchants, as the operator looks for them. */
@Injectable()
export class OrderSupportRepository {
  /** @param merchantId the merchant whose order it must be, if given. */
  findByNumber({ manager }: Transaction, orderNumber: string, merchantId?: number): Promise<OrderRow | null> {
    const whose = merchantId === undefined ? {} : { merchant_id: merchantId };
    return manager.findOneBy(Order, { order_number: orderNumber, ...whose });
  }

  listPlayers({ manager }: Transaction, orderNumbers: string[]): Promise<PlayerRow[]> {
    return manager.find(Order, {
      select: { order_number: true, user_id: true, server_id: true, character_id: true },
      where: { order_number: In(orderNumbers) },
    });
  }

  /** One of each merchant that uses the reference. */
  findByReference(tx: Transaction, reference: string, merchantId?: number): Promise<OrderRow[]> {
    const asked = { reference, merchantId: merchantId ?? null };
    return tx.query<OrderRow>(...FIND_BY_REFERENCE.with(asked));
  }

  /** Newest first. */
  list(tx: Transaction, filter: OrderFilter): Promise<OrderRow[]> {
    const { statement, values } = listOrders(filter);
    return tx.query<OrderRow>(statement, values);
  }

  /** Order by order, each order's in their order. */
  listItems(tx: Transaction, orderIds: bigint[]): Promise<ItemRow[]> {
    return tx.query<ItemRow>(FIND_ITEMS_OF, [orderIds]);
  }

  async listUnits({ manager }: Transaction, orderId: bigint): Promise<UnitRow[]> {
    const { entities, raw } = await manager
      .createQueryBuilder(OrderUnit, 'unit')
      .innerJoin(Supplier, 'supplier', 'supplier.id = unit.supplier_id')
      .addSelect('supplier.code', 'supplier_code')
      .where({ order_id: orderId })
      .orderBy('unit.item')
      .addOrderBy('unit.unit')
      .getRawAndEntities<{ supplier_code: string }>();
    return entities.map((unit, index) => ({
      ...unit,
      supplier: present(raw[index], 'a row has its raw row').supplier_code,
    }));
  }

  /** Unit by unit, each unit's in their order. */
  listAttempts(tx: Transaction, orderId: bigint): Promise<AttemptOfUnit[]> {
    return tx.query<AttemptOfUnit>(...FIND_ATTEMPTS.with({ orderId }));
  }

  listAttemptsOfUnit(tx: Transaction, unit: UnitKey): Promise<AttemptOfUnit[]> {
    return tx.query<AttemptOfUnit>(...FIND_ATTEMPTS_OF_UNIT.with(unit));
  }

  /** Null where there is no such order. */
  async findUnit(
    tx: Transaction,
    orderNumber: string,
    { item, unit }: Pick<UnitKey, 'item' | 'unit'>,
  ): Promise<PricedUnit | null> {
    const [found] = await tx.query<PricedUnit>(...FIND_UNIT.with({ orderNumber, item, unit }));
    return found ?? null;
  }

  /** Oldest first. */
  listHistory(tx: Transaction, orderId: bigint): Promise<HistoryRow[]> {
    return tx.query<HistoryRow>(...FIND_HISTORY.with({ orderId }));
  }
}
