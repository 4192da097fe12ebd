import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { FailureCode } from '../core/failures.js';
import { present } from '../core/invariant.js';
import { Database, type Transaction } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { OrderUnit } from '../orders/order-unit.entity.js';
import { Order } from '../orders/order.entity.js';
import { orderColumns } from '../orders/order-columns.sql.js';
import { unitReferenceIn, type ItemRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { FIND_ITEMS_OF } from '../orders/orders.repository.js';
import type { UnitState } from '../orders/states.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { Transfer } from '../wallet/transfer.entity.js';
import { FIND_HISTORY, type HistoryRow } from './order-history.sql.js';
import type { NamedOrderRow } from './order-search.sql.js';

/** The player of an order. */
export type PlayerRow = Pick<Order, 'order_number' | 'user_id' | 'server_id' | 'character_id'>;

/** An attempt to buy a unit. */
export interface AttemptOfUnit {
  item: number;
  unit: number;
  number: number;
  supplier: string;
  supplier_sku: string;
  reference: string;
  supplier_reference: string | null;
  /** The attempt's final state where another attempt followed, otherwise the state of the unit. */
  state: UnitState | 'withdrawn';
  failure_code: FailureCode | null;
  cost_micros: bigint | null;
  cost_currency: string | null;
  /** The final state where another attempt followed, otherwise the outcome of the unit's latest call; null without a call. */
  last_outcome: string | null;
}

/** The data of a unit that a decision needs. */
export interface UnitToDecide {
  order: Pick<Order, 'id' | 'merchant_id'>;
  /** The price that the merchant pays for the unit, in satang. */
  price: bigint;
  /** The latest attempt; null where there was none. */
  attempt: Pick<AttemptOfUnit, 'number' | 'supplier' | 'supplier_sku' | 'reference' | 'supplier_reference'> | null;
}

const FIND_BY_NUMBER = statement(
  'support.find_by_number',
  { orderNumber: 'text', merchantId: 'int?' },
  ({ orderNumber, merchantId }) => `
    SELECT ${orderColumns('o')}, m.name AS merchant_name
    FROM orders o JOIN merchants m ON m.id = o.merchant_id
    WHERE o.order_number = ${orderNumber} AND (${merchantId} IS NULL OR o.merchant_id = ${merchantId})`,
);

/** The attempts of units `u`. A sent unit without a recorded attempt had one attempt: old versions recorded none. */
const ATTEMPTS = `
    SELECT u.item, u.unit, coalesce(a.number, 1) AS number, s.code AS supplier,
           coalesce(a.supplier_sku, i.supplier_sku) AS supplier_sku,
           coalesce(a.reference, ${unitReferenceIn('o', 'u')}) AS reference,
           CASE WHEN a.ended_as IS NULL THEN coalesce(u.supplier_reference, a.supplier_reference)
                ELSE a.supplier_reference END AS supplier_reference,
           coalesce(a.ended_as, u.state) AS state,
           CASE WHEN a.ended_as IS NULL THEN u.failure_code ELSE a.failure_code END AS failure_code,
           a.cost_micros, a.cost_currency,
           CASE WHEN a.ended_as IS NOT NULL THEN a.ended_as WHEN u.first_sent_at IS NOT NULL THEN last_call.outcome END
             AS last_outcome
    FROM order_units u
    JOIN orders o ON o.id = u.order_id
    JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
    LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit
    LEFT JOIN LATERAL (SELECT c.outcome FROM supplier_calls c
                       WHERE c.order_id = u.order_id AND c.item = u.item AND c.unit = u.unit
                       ORDER BY c.id DESC LIMIT 1) last_call ON true
    JOIN suppliers s ON s.id = coalesce(a.supplier_id, u.supplier_id)
    WHERE (a.number IS NOT NULL OR u.sends > 0)`;

const FIND_ATTEMPTS = statement(
  'support.find_attempts',
  { orderId: 'bigint' },
  ({ orderId }) => `${ATTEMPTS} AND u.order_id = ${orderId} ORDER BY u.item, u.unit, a.number`,
);

/** The order of a unit, the unit's price and its latest attempt. The price is null where the order has no such unit. */
const FIND_UNIT = statement(
  'support.find_unit',
  { orderNumber: 'text', item: 'smallint', unit: 'smallint' },
  ({ orderNumber, item, unit }) => `
    SELECT ordered.id, ordered.merchant_id, item.unit_price AS price, attempt.number, attempt.supplier,
           attempt.supplier_sku, attempt.reference, attempt.supplier_reference
    FROM orders ordered
    LEFT JOIN order_units found ON found.order_id = ordered.id AND found.item = ${item} AND found.unit = ${unit}
    LEFT JOIN order_items item ON item.order_id = found.order_id AND item.position = found.item
    LEFT JOIN LATERAL (
      ${ATTEMPTS} AND u.order_id = ordered.id AND u.item = ${item} AND u.unit = ${unit}
      ORDER BY a.number DESC LIMIT 1) attempt ON true
    WHERE ordered.order_number = ${orderNumber}`,
);

type LatestAttempt = NonNullable<UnitToDecide['attempt']>;
type NoAttempt = { [Column in keyof LatestAttempt]: null };
type FoundUnitRow = UnitToDecide['order'] & { price: bigint | null } & (LatestAttempt | NoAttempt);

/** Reads the data of one order that operators see. */
@Injectable()
export class OrderSupportRepository {
  constructor(private readonly database: Database) {}

  /** Returns null where the order belongs to another merchant than the given one. */
  async findByNumber(
    orderNumber: string,
    merchantId?: number,
    tx: Pick<Transaction, 'query'> = this.database,
  ): Promise<NamedOrderRow | null> {
    const which = { orderNumber, merchantId: merchantId ?? null };
    const [found] = await tx.query<NamedOrderRow>(...FIND_BY_NUMBER.with(which));
    return found ?? null;
  }

  listPlayers(orderNumbers: string[]): Promise<PlayerRow[]> {
    return this.database.manager.find(Order, {
      select: { order_number: true, user_id: true, server_id: true, character_id: true },
      where: { order_number: In(orderNumbers) },
    });
  }

  /** Sorted by order, then by the item's position. */
  listItems(orderIds: bigint[], tx: Pick<Transaction, 'query'> = this.database): Promise<ItemRow[]> {
    return tx.query<ItemRow>(FIND_ITEMS_OF, [orderIds]);
  }

  async listUnits(orderId: bigint, { manager }: Pick<Transaction, 'manager'> = this.database): Promise<UnitRow[]> {
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

  /** Sorted by unit, then by the attempt's number. */
  listAttempts(orderId: bigint, tx: Transaction): Promise<AttemptOfUnit[]> {
    return tx.query<AttemptOfUnit>(...FIND_ATTEMPTS.with({ orderId }));
  }

  /** Oldest first. */
  listTransfers(orderId: bigint, { manager }: Transaction): Promise<Transfer[]> {
    return manager.find(Transfer, { where: { order_id: orderId }, order: { id: 'ASC' } });
  }

  /** Oldest first. */
  listHistory(orderId: bigint, tx: Transaction): Promise<HistoryRow[]> {
    return tx.query<HistoryRow>(...FIND_HISTORY.with({ orderId }));
  }

  /** Returns null where there is no such order. The price is null where the order has no such unit. */
  async findUnit(
    orderNumber: string,
    { item, unit }: Pick<UnitKey, 'item' | 'unit'>,
  ): Promise<(Omit<UnitToDecide, 'price'> & { price: bigint | null }) | null> {
    const [found] = await this.database.query<FoundUnitRow>(...FIND_UNIT.with({ orderNumber, item, unit }));
    if (!found) return null;
    const { id, merchant_id, price, ...attempt } = found;
    return { order: { id, merchant_id }, price, attempt: attempt.number === null ? null : attempt };
  }
}
