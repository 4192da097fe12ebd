import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { present } from '../../core/invariant.js';
import type { Satang } from '../../core/money.js';
import { Database, type Queryable, type Statement } from '../../database/database.js';
import { withLongTimeout } from '../../database/snapshot.js';
import type { OrderItem } from '../../orders/order-item.entity.js';
import type { OrderUnit } from '../../orders/order-unit.entity.js';
import type { Order } from '../../orders/order.entity.js';
import { unitReferenceIn } from '../../orders/order.rows.js';
import { sandboxUnitIn } from '../../orders/sandbox-unit.sql.js';
import { SupplierReversal } from '../../orders/supplier-reversal.entity.js';

/**
 * All attempts. A unit without recorded attempts counts as one attempt, such as a unit that is queued, or that an old version
 * bought. A unit that failed before its first attempt, as after an early cancellation, has none: no supplier knows of it.
 */
const FROM_ATTEMPTS = `
  FROM orders o
  JOIN order_units u ON u.order_id = o.id
  JOIN order_items i ON i.order_id = u.order_id AND i.position = u.item
  LEFT JOIN unit_attempts a ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit`;
const WHERE_ATTEMPTS = `
  WHERE coalesce(a.supplier_id, u.supplier_id) = $1 AND o.created_at >= $2
    AND NOT (a.number IS NULL AND u.state = 'failed' AND u.first_sent_at IS NULL)`;
/** Whether an attempt is the latest of its unit. Each earlier attempt has ended without buying. */
const IS_LATEST = `a.ended_as IS NULL`;

/** $1: supplier, $2: orders created since. */
const COUNT_UNITS: Statement = {
  name: 'supplier_report.count_units',
  text: `SELECT count(*) FILTER (WHERE ${IS_LATEST} AND u.state = 'succeeded') AS succeeded,
                count(*) FILTER (WHERE ${IS_LATEST} AND u.state = 'failed') AS failed,
                count(*) FILTER (WHERE ${IS_LATEST} AND u.state NOT IN ('succeeded', 'failed')) AS open,
                count(*) FILTER (WHERE NOT (${IS_LATEST})) AS given_up,
                coalesce(sum(i.unit_price) FILTER (WHERE ${IS_LATEST} AND u.state = 'succeeded'), 0)::bigint AS succeeded_amount,
                coalesce(min(o.id), 0) AS first_order_id ${FROM_ATTEMPTS} ${WHERE_ATTEMPTS}`,
};

/**
 * Ended attempts: with the state of the settled unit, or as failed if another attempt followed. $1: supplier, $2: orders created
 * since, $3 to $6: the last attempt of the previous page, $7: how many.
 */
const PAGE_OF_ENDED: Statement = {
  name: 'supplier_report.page_of_ended',
  text: `SELECT u.order_id, u.item, u.unit, CASE WHEN ${IS_LATEST} THEN u.state ELSE 'failed' END AS state, i.unit_price,
                coalesce(a.number, greatest(u.attempt, 1)) AS attempt,
                coalesce(a.supplier_sku, i.supplier_sku) AS sku,
                coalesce(a.reference, ${unitReferenceIn('o', 'u')}) AS reference,
                coalesce(CASE WHEN NOT a.is_hearsay THEN a.supplier_reference END,
                         CASE WHEN ${IS_LATEST} THEN u.supplier_reference END) AS supplier_reference, i.kind, o.user_id,
                ${sandboxUnitIn('u')} AS sandbox_unit
         ${FROM_ATTEMPTS}
         ${WHERE_ATTEMPTS}
           AND (NOT (${IS_LATEST}) OR u.state IN ('succeeded', 'failed'))
           AND u.order_id >= $3::bigint
           AND (u.order_id, u.item, u.unit, coalesce(a.number, 1)) > ($3::bigint, $4::smallint, $5::smallint, $6::smallint)
         ORDER BY u.order_id, u.item, u.unit, coalesce(a.number, 1) LIMIT $7`,
};

export interface UnitCounts {
  succeeded: bigint;
  failed: bigint;
  open: bigint;
  /** Attempts that another attempt followed. */
  given_up: bigint;
  succeeded_amount: Satang;
  /** The lowest id of the orders of these units: pages of attempts begin there. */
  first_order_id: bigint;
}

/** The key of an attempt. */
export type Place = Pick<OrderUnit, 'order_id' | 'item' | 'unit'> & { attempt: number };

/** An ended attempt: its state is that of its unit, or `failed` if another attempt followed. */
export type EndedAttempt = Place & { state: 'succeeded' | 'failed' } & Pick<OrderItem, 'unit_price' | 'kind'> &
  Pick<Order, 'user_id'> & {
    sku: string;
    reference: string;
    supplier_reference: string | null;
    sandbox_unit: number | null;
  };

/** Attempts at a supplier, of orders placed since a time. */
@Injectable()
export class SupplierReportRepository {
  constructor(
    private readonly database: Database,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  async countUnits(tx: Queryable, supplierId: number, since: Date): Promise<UnitCounts> {
    const [counts] = await tx.query<UnitCounts>(withLongTimeout(COUNT_UNITS), [supplierId, since]);
    return present(counts, 'a count has a row');
  }

  /** Sorted by order, unit and attempt. @param after the last attempt of the previous page. */
  pageOfEnded(supplierId: number, since: Date, after: Place, limit: number): Promise<EndedAttempt[]> {
    const values = [supplierId, since, after.order_id, after.item, after.unit, after.attempt, limit];
    return this.database.query<EndedAttempt>(withLongTimeout(PAGE_OF_ENDED), values);
  }

  countOpenDiscrepancies(supplierId: number): Promise<number> {
    return this.dataSource.manager.countBy(SupplierReversal, { supplier_id: supplierId, status: 'open' });
  }
}
