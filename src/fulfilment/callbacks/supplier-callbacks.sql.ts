import { statement } from '../../database/parameters.js';
import type { OrderItem } from '../../orders/order-item.entity.js';
import type { Order } from '../../orders/order.entity.js';
import type { OrderUnit } from '../../orders/order-unit.entity.js';
import type { UnitAttempt } from '../../orders/unit-attempt.entity.js';

/** An attempt that a callback is about, and how its unit stands. */
export type FoundAttempt = Pick<
  UnitAttempt,
  'order_id' | 'item' | 'unit' | 'supplier_sku' | 'reference' | 'supplier_reference'
> &
  Pick<OrderUnit, 'state' | 'claim' | 'sends'> &
  Pick<OrderItem, 'kind'> &
  Pick<Order, 'merchant_id' | 'order_number' | 'request_id'> & {
    attempt: number;
    /** The number of its unit's latest attempt. */
    latest_attempt: number;
  };

const attemptBy = (column: 'reference' | 'supplier_reference') =>
  statement(
    `supplier_callbacks.find_attempt_by_${column}`,
    { supplierId: 'int', reference: 'text' },
    ({ supplierId, reference }) => `
      SELECT a.order_id, a.item, a.unit, a.number AS attempt, a.supplier_sku, a.reference,
             coalesce(a.supplier_reference, CASE u.attempt WHEN a.number THEN u.supplier_reference END) AS supplier_reference,
             u.attempt AS latest_attempt, u.state, u.claim, u.sends, i.kind, o.merchant_id, o.order_number, o.request_id
      FROM unit_attempts a
      JOIN order_units u ON u.order_id = a.order_id AND u.item = a.item AND u.unit = a.unit
      JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item
      JOIN orders o ON o.id = a.order_id
      WHERE a.supplier_id = ${supplierId} AND a.${column} = ${reference} LIMIT 2`,
  );

/** All attempts, for ever: a supplier may call about one that was given up long ago. */
export const FIND_ATTEMPT = attemptBy('reference');

export const FIND_ATTEMPT_BY_THEIRS = attemptBy('supplier_reference');

const ATTEMPT = { order_id: 'bigint', item: 'smallint', unit: 'smallint', attempt: 'smallint' } as const;

const isUnit = ({ order_id, item, unit, attempt }: Record<keyof typeof ATTEMPT, string>): string =>
  `u.order_id = ${order_id} AND u.item = ${item} AND u.unit = ${unit} AND u.attempt = ${attempt}`;

/**
 * Has an inquiry due at once, or when the supplier has been left alone for long enough; one that is due earlier stays.
 * A unit was last changed when the last call about it ended, and this leaves that moment as it is.
 */
export const WAKE_UNIT = statement(
  'supplier_callbacks.wake_unit',
  { ...ATTEMPT, minGapMs: 'bigint' },
  ({ minGapMs, ...key }) => `
    WITH waiting AS (
      SELECT order_id, item, unit, next_action_at,
             greatest(statement_timestamp(), updated_at + make_interval(secs => ${minGapMs} / 1000.0)) AS due_at
      FROM order_units u
      WHERE ${isUnit(key)} AND state = 'unknown' AND next_action = 'inquire' AND claimed_by IS NULL
      FOR NO KEY UPDATE)
    UPDATE order_units u SET next_action_at = w.due_at
    FROM waiting w
    WHERE u.order_id = w.order_id AND u.item = w.item AND u.unit = w.unit AND w.next_action_at > w.due_at
    RETURNING u.supplier_id, ceil(extract(epoch FROM w.due_at - statement_timestamp()) * 1000)::int AS due_in_ms`,
);

/**
 * A supplier proves that it has what was to be sent to it: then it is asked and not sent again. The same of what is being
 * sent, whatever that is answered, where asking buys nothing: it may be asked soon.
 */
export const DOUBT_UNIT = statement(
  'supplier_callbacks.doubt_unit',
  { ...ATTEMPT, minGapMs: 'bigint', whileSending: 'boolean' },
  ({ minGapMs, whileSending, ...key }) => `
    UPDATE order_units u SET
      state = CASE u.state WHEN 'queued' THEN 'unknown' ELSE u.state END, next_action = 'inquire',
      next_action_at = CASE u.next_action WHEN 'send'
        THEN greatest(statement_timestamp(), u.updated_at + make_interval(secs => ${minGapMs} / 1000.0))
        ELSE u.next_action_at END,
      unknown_since = coalesce(u.unknown_since, u.last_sent_at, statement_timestamp())
    WHERE ${isUnit(key)} AND u.state IN ('queued', 'sending', 'unknown')
      AND (u.next_action = 'send' OR ${whileSending} AND u.unknown_since IS NULL)
    RETURNING u.supplier_id,
      ceil(extract(epoch FROM u.next_action_at - statement_timestamp()) * 1000)::int AS due_in_ms`,
);

export const FIND_DELIVERY = statement(
  'supplier_callbacks.find_delivery',
  { supplierId: 'int', deliveryId: 'text' },
  ({ supplierId, deliveryId }) => `
    SELECT id FROM supplier_callbacks WHERE supplier_id = ${supplierId} AND delivery_id = ${deliveryId} LIMIT 1`,
);

export const RECORD_CALLBACK = statement(
  'supplier_callbacks.record',
  {
    supplier_id: 'int',
    remote_address: 'text',
    verdict: 'text',
    delivery_id: 'text?',
    reference: 'text?',
    supplier_reference: 'text?',
    order_id: 'bigint?',
    item: 'smallint?',
    unit: 'smallint?',
    attempt: 'smallint?',
    detail: 'text?',
    body_sealed: 'bytea?',
  },
  (row) => `
    INSERT INTO supplier_callbacks (received_at, ${Object.keys(row).join(', ')})
    VALUES (date_trunc('milliseconds', statement_timestamp()), ${Object.values(row).join(', ')})
    RETURNING id`,
);

export const REMOVE_OLD_CALLBACKS = statement(
  'supplier_callbacks.remove_old',
  { days: 'int', limit: 'int' },
  ({ days, limit }) => `
    DELETE FROM supplier_callbacks WHERE id IN (
      SELECT id FROM supplier_callbacks WHERE received_at < statement_timestamp() - make_interval(days => ${days})
      ORDER BY received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING id`,
);
