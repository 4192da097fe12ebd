import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '../../database/database.js';
import { rowsOf, statement } from '../../database/parameters.js';
import type { UnitKey } from '../order.rows.js';
import { isOf, UNIT } from '../unit-conditions.sql.js';
import type { UnitDeliveries } from './unit-deliveries.entity.js';

/**
 * In SQL: whether the row `sold` may be about the own purchase of the attempt `a`, although its reference differs from the
 * attempt's, or from the one that the operator entered: some suppliers change their references later. It is not if a late
 * sale has the supplier's reference of the attempt. Then a different reference belongs to a further late sale.
 */
const mayBeOwn = (sold: string): string => `
                     ((${sold}.supplier_reference <> a.supplier_reference) IS NOT TRUE OR NOT EXISTS (
                       SELECT FROM supplier_reversals own
                       WHERE ${isOf('a', 'own')} AND own.attempt = a.number AND own.kind = 'bought_late'
                         AND own.supplier_reference = a.supplier_reference))`;

/**
 * In SQL: whether an operator settled the unit `u` with the purchase of the row `sold`, by the attempt `a`. The operator
 * enters the supplier's reference of the purchase, or a reference of the attempt, which is the supplier's or ours.
 */
export const namesPurchase = (sold: string): string => `
                     (u.supplier_reference = ${sold}.supplier_reference
                      OR u.supplier_reference IN (a.supplier_reference, a.reference) AND ${mayBeOwn(sold)})`;

/**
 * Stores deliveries once for each unit, and only for the purchase that settled it: the purchase of the latest attempt,
 * or of an earlier attempt if an operator settled the unit with it before the delivery came. If the delivery came
 * first, {@link HAND_OVER_FROM_DISCREPANCY} stores it. If the supplier's reference of a delivery is not that of the
 * unit, the delivery belongs to another purchase. There are three exceptions: an operator settled the unit with our
 * reference; the supplier was queried by the unit's reference; or the row of an earlier attempt has the unit's
 * reference. The first and the last of these need {@link mayBeOwn}. If an answer about the latest attempt names another purchase
 * than the attempt's proven one, `JUDGE_UNSETTLED` opens a discrepancy, which keeps the delivery. The attempt's row is read only if
 * the references or attempts differ. With `is_other`, the supplier reports the purchase besides the one that we know: it is stored
 * only if the unit has exactly its reference.
 */
const STORE_DELIVERIES = statement(
  'unit_deliveries.store',
  {
    deliveries: rowsOf({
      ...UNIT,
      attempt: 'smallint',
      supplier_reference: 'text?',
      queried_as: 'text?',
      is_other: 'boolean',
      sealed: 'bytea',
    }),
  },
  ({ deliveries }) => `
    INSERT INTO unit_deliveries (order_id, item, unit, attempt, sealed, created_at)
    SELECT u.order_id, u.item, u.unit, c.attempt, c.sealed, date_trunc('milliseconds', statement_timestamp())
    FROM ${deliveries.numbered('c', 'rank')}
    JOIN order_units u ON ${isOf('c', 'u')}
    WHERE u.state = 'succeeded' AND (NOT c.is_other OR u.supplier_reference = c.supplier_reference)
      AND CASE WHEN u.attempt = c.attempt
                 AND ((u.supplier_reference <> c.supplier_reference) IS NOT TRUE OR u.supplier_reference = c.queried_as) THEN true
               ELSE c.attempt <= u.attempt AND EXISTS (
                 SELECT FROM unit_attempts a
                 WHERE ${isOf('c', 'a')} AND a.number = c.attempt
                   AND CASE WHEN c.attempt < u.attempt THEN ${namesPurchase('c')}
                            ELSE (a.is_hearsay OR c.queried_as IS NOT NULL
                                  OR (c.supplier_reference <> a.supplier_reference) IS NOT TRUE)
                              AND u.supplier_reference = a.reference AND ${mayBeOwn('c')} END) END
    ORDER BY c.rank
    ON CONFLICT ON CONSTRAINT uq_unit_deliveries_unit DO NOTHING`,
);

/** Copies the deliveries of a late or second sale to a settled unit, if an operator settled the unit with that purchase. */
const HAND_OVER_FROM_DISCREPANCY = statement(
  'unit_deliveries.hand_over_of_case',
  UNIT,
  ({ order_id, item, unit }) => `
    INSERT INTO unit_deliveries (order_id, item, unit, attempt, sealed, created_at)
    SELECT u.order_id, u.item, u.unit, r.attempt, r.delivered_sealed, date_trunc('milliseconds', statement_timestamp())
    FROM order_units u
    JOIN supplier_reversals r ON ${isOf('u', 'r')}
    JOIN unit_attempts a ON ${isOf('r', 'a')} AND a.number = r.attempt
    WHERE u.order_id = ${order_id} AND u.item = ${item} AND u.unit = ${unit} AND u.state = 'succeeded'
      AND r.delivered_sealed IS NOT NULL
      AND (r.kind = 'bought_late' AND ${namesPurchase('r')}
           OR r.kind = 'unknown_purchase' AND u.supplier_reference = r.supplier_reference)
    ORDER BY (r.supplier_reference IN (u.supplier_reference, a.supplier_reference)) IS TRUE DESC, r.id LIMIT 1
    ON CONFLICT ON CONSTRAINT uq_unit_deliveries_unit DO NOTHING`,
);

/** The deliveries of one unit. For an item without deliveries, `unit` and `sealed` are null. */
export type DeliveredRow = { item: number } & (Pick<UnitDeliveries, 'unit' | 'sealed'> | { unit: null; sealed: null });

/**
 * Deliveries of ended items with at least one bought unit. Of the items without deliveries, only those of kind `code` have a
 * row.
 */
const LIST_DELIVERED = statement(
  'unit_deliveries.list_delivered',
  { orderId: 'bigint' },
  ({ orderId }) => `
    SELECT i.position AS item, d.unit, d.sealed
    FROM order_items i LEFT JOIN unit_deliveries d ON d.order_id = i.order_id AND d.item = i.position
    WHERE i.order_id = ${orderId} AND i.status IN ('completed', 'failed') AND i.completed_quantity > 0
      AND (i.kind = 'code' OR d.id IS NOT NULL)
    ORDER BY i.position, d.unit`,
);

/** Deliveries of an archived order. */
const LIST_OF_ARCHIVED = statement(
  'unit_deliveries.find_kept',
  { orderId: 'bigint' },
  ({ orderId }) => `SELECT item, unit, sealed FROM unit_deliveries WHERE order_id = ${orderId} ORDER BY item, unit`,
);

export type DeliveryToStore = Parameters<typeof STORE_DELIVERIES.with>[0]['deliveries'][number];

/** Codes and serial numbers of units. */
@Injectable()
export class UnitDeliveriesRepository {
  constructor(private readonly database: Database) {}

  /** Stores deliveries of settled units. @param deliveries if several rows fit a unit, the first one is stored. */
  store(tx: Transaction, deliveries: DeliveryToStore[]): void {
    if (deliveries.length > 0) tx.write(...STORE_DELIVERIES.with({ deliveries }));
  }

  /** Copies the deliveries of a discrepancy to its unit, if an operator settled the unit with that purchase. */
  handOverFromDiscrepancy(tx: Transaction, { orderId: order_id, item, unit }: UnitKey): void {
    tx.write(...HAND_OVER_FROM_DISCREPANCY.with({ order_id, item, unit }));
  }

  /** Sorted by item and unit. */
  listDelivered(orderId: bigint): Promise<DeliveredRow[]> {
    return this.database.query<DeliveredRow>(...LIST_DELIVERED.with({ orderId }));
  }

  /** The deliveries of an archived order, sorted by item and unit. */
  listOfArchived(orderId: bigint): Promise<DeliveredRow[]> {
    return this.database.query<DeliveredRow>(...LIST_OF_ARCHIVED.with({ orderId }));
  }
}
