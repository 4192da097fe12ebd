import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { FailureCode } from '../core/failures.js';
import { present } from '../core/invariant.js';
import { Database } from '../database/database.js';
import { JsonRows } from '../database/json-rows.js';
import { statement } from '../database/parameters.js';
import { OrderUnit } from '../orders/order-unit.entity.js';
import { Order } from '../orders/order.entity.js';
import { itemColumns, orderColumns } from '../orders/order-columns.sql.js';
import { unitReferenceIn, type ItemRow, type UnitKey, type UnitRow } from '../orders/order.rows.js';
import { LIST_ITEMS_OF } from '../orders/orders.repository.js';
import type { UnitAttempt } from '../orders/unit-attempt.entity.js';
import type { UnitState } from '../orders/states.js';
import { SupplierReversal } from '../orders/supplier-reversal.entity.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import type { Transfer } from '../wallet/transfer.entity.js';
import { historyOf, type HistoryRow } from './order-history.sql.js';
import type { NamedOrderRow } from './order-search.sql.js';

/** The player of an order. */
export type PlayerRow = Pick<Order, 'order_number' | 'user_id' | 'server_id' | 'character_id'>;

/** An attempt to buy a unit. */
export interface AttemptOfUnit extends Pick<
  UnitAttempt,
  'item' | 'unit' | 'number' | 'supplier_sku' | 'reference' | 'supplier_reference' | 'cost_micros' | 'cost_currency'
> {
  supplier: string;
  /** The attempt's final state if another attempt followed, otherwise the state of the unit. */
  state: UnitState | 'withdrawn';
  failure_code: FailureCode | null;
  /**
   * The final state if another attempt followed, otherwise the outcome of the unit's latest call; null before the
   * attempt is sent, and if `supplier_calls` has no call of the unit.
   */
  last_outcome: string | null;
}

export type ShownUnit = Pick<
  UnitRow,
  ('item' | 'unit' | 'state' | 'sends' | 'supplier') | ('supplier_reference' | 'failure_code' | 'failure_message')
>;

export type OrderTransfer = Pick<Transfer, 'id' | 'kind' | 'amount' | 'available_after' | 'created_at'>;

/** An order with everything about it. */
export interface WholeOrder extends NamedOrderRow {
  /** Sorted by position. */
  items: ItemRow[];
  /** Sorted by item and unit. */
  units: ShownUnit[];
  /** Sorted by unit, then by the attempt's number. */
  attempts: AttemptOfUnit[];
  /** Oldest first. */
  transfers: OrderTransfer[];
  /** Oldest first. */
  history: HistoryRow[];
}

/** The data of a unit that a decision needs. */
export interface UnitToDecide {
  order: Pick<Order, 'id' | 'merchant_id'>;
  /** The price that the merchant pays for the unit, in satang. */
  price: bigint;
  /** The latest attempt; null if there was none. `sent_to` has the supplier's address and our account there at the last send. */
  attempt:
    | (Pick<AttemptOfUnit, 'number' | 'supplier' | 'supplier_sku' | 'reference' | 'supplier_reference'> &
        Pick<OrderUnit, 'sent_to'>)
    | null;
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

const ITEMS = new JsonRows<ItemRow>({ order_id: 'bigint', list_price: 'bigint', unit_price: 'bigint' });
const UNITS = new JsonRows<ShownUnit>({});
const ATTEMPTS_OF_UNITS = new JsonRows<AttemptOfUnit>({ cost_micros: 'bigint' });
const TRANSFERS = new JsonRows<OrderTransfer>({
  id: 'bigint',
  amount: 'bigint',
  available_after: 'bigint',
  created_at: 'moment',
});
const HISTORY = new JsonRows<HistoryRow>({ at: 'moment', amount: 'bigint' });

const FIND_WHOLE_ORDER = statement(
  'support.find_whole_order',
  { orderNumber: 'text' },
  ({ orderNumber }) => `
    SELECT ${orderColumns('whole')}, m.name AS merchant_name,
      ${ITEMS.of(`SELECT ${itemColumns('i')} FROM order_items i WHERE i.order_id = whole.id ORDER BY i.position`)} AS items,
      ${UNITS.of(`
        SELECT u.item, u.unit, u.state, u.sends, u.supplier_reference, u.failure_code, u.failure_message, s.code AS supplier
        FROM order_units u JOIN suppliers s ON s.id = u.supplier_id
        WHERE u.order_id = whole.id ORDER BY u.item, u.unit`)} AS units,
      ${ATTEMPTS_OF_UNITS.of(`${ATTEMPTS} AND u.order_id = whole.id ORDER BY u.item, u.unit, a.number`)} AS attempts,
      ${TRANSFERS.of(`
        SELECT t.id, t.kind, t.amount, t.available_after, t.created_at
        FROM transfers t WHERE t.order_id = whole.id ORDER BY t.id`)} AS transfers,
      ${HISTORY.of(historyOf('whole.id'))} AS history
    FROM orders whole JOIN merchants m ON m.id = whole.merchant_id
    WHERE whole.order_number = ${orderNumber}`,
);

/** The order of a unit, the unit's price and its latest attempt. The price is null if the order has no such unit. */
const FIND_UNIT = statement(
  'support.find_unit',
  { orderNumber: 'text', item: 'smallint', unit: 'smallint' },
  ({ orderNumber, item, unit }) => `
    SELECT ordered.id, ordered.merchant_id, item.unit_price AS price, attempt.number, attempt.supplier,
           attempt.supplier_sku, attempt.reference, attempt.supplier_reference, found.sent_to
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

  /** Returns null if there is no such order, or if it belongs to another merchant than the given one. */
  async findByNumber(orderNumber: string, merchantId?: number): Promise<NamedOrderRow | null> {
    const which = { orderNumber, merchantId: merchantId ?? null };
    const [found] = await this.database.query<NamedOrderRow>(...FIND_BY_NUMBER.with(which));
    return found ?? null;
  }

  listPlayers(orderNumbers: string[]): Promise<PlayerRow[]> {
    return this.database.manager.find(Order, {
      select: { order_number: true, user_id: true, server_id: true, character_id: true },
      where: { order_number: In(orderNumbers) },
    });
  }

  /** Sorted by order, then by the item's position. */
  listItems(orderIds: bigint[]): Promise<ItemRow[]> {
    return this.database.query<ItemRow>(LIST_ITEMS_OF, [orderIds]);
  }

  async listUnits(orderId: bigint): Promise<UnitRow[]> {
    const { entities, raw } = await this.database.manager
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

  /** The open discrepancies which report that suppliers sold units of the order after all. */
  listLateSales(orderId: bigint): Promise<Pick<SupplierReversal, 'id' | 'item' | 'unit'>[]> {
    return this.database.manager.find(SupplierReversal, {
      select: { id: true, item: true, unit: true },
      where: { order_id: orderId, kind: 'bought_late', status: 'open' },
    });
  }

  /** One statement, so that all its parts are of the same moment. */
  async findWhole(orderNumber: string): Promise<WholeOrder | null> {
    const [found] = await this.database.query<WholeOrder>(...FIND_WHOLE_ORDER.with({ orderNumber }));
    if (!found) return null;
    return {
      ...found,
      items: ITEMS.read(found.items),
      units: UNITS.read(found.units),
      attempts: ATTEMPTS_OF_UNITS.read(found.attempts),
      transfers: TRANSFERS.read(found.transfers),
      history: HISTORY.read(found.history),
    };
  }

  /** Returns null if there is no such order. The price is null if the order has no such unit. */
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
