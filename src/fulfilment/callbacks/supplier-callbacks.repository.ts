import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { present } from '../../core/invariant.js';
import { Database } from '../../database/database.js';
import { isOf } from '../../orders/unit-conditions.sql.js';
import { ATTEMPT, isAttempt } from '../attempts.sql.js';
import { SupplierCallback } from './supplier-callback.entity.js';
import { statement } from '../../database/parameters.js';
import { removalOfOld } from '../../database/remove-in-batches.js';
import type { OrderItem } from '../../orders/order-item.entity.js';
import type { Order } from '../../orders/order.entity.js';
import type { OrderUnit } from '../../orders/order-unit.entity.js';
import type { UnitAttempt } from '../../orders/unit-attempt.entity.js';

/** The attempt of a callback, with the state of its unit. */
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
             coalesce(a.supplier_reference, CASE u.attempt WHEN a.number THEN nullif(u.supplier_reference, a.reference) END)
               AS supplier_reference,
             u.attempt AS latest_attempt, u.state, u.claim, u.sends, i.kind, o.merchant_id, o.order_number, o.request_id
      FROM unit_attempts a
      JOIN order_units u ON ${isOf('a', 'u')}
      JOIN order_items i ON i.order_id = a.order_id AND i.position = a.item
      JOIN orders o ON o.id = a.order_id
      WHERE a.supplier_id = ${supplierId} AND a.${column} = ${reference} LIMIT 2`,
  );

/** Finds attempts of any age whose orders are not archived: a supplier may call back long after an attempt ended. */
const FIND_ATTEMPT = attemptBy('reference');
const FIND_ATTEMPT_BY_SUPPLIER_REFERENCE = attemptBy('supplier_reference');

/**
 * Makes an inquiry due now, or as soon as the minimum gap since the last call has passed. An inquiry that is already due earlier
 * is not postponed. The gap begins at `updated_at`, when the last call ended, so this statement does not change that column.
 * Returns one row. `awaits_inquiry` is false if the unit waits for no inquiry, such as while a call is in flight.
 */
const WAKE_UNIT = statement(
  'supplier_callbacks.wake_unit',
  { ...ATTEMPT, minGapMs: 'bigint' },
  ({ minGapMs, ...key }) => `
    WITH waiting AS (
      SELECT order_id, item, unit, next_action_at,
             greatest(statement_timestamp(), updated_at + make_interval(secs => ${minGapMs} / 1000.0)) AS due_at
      FROM order_units u
      WHERE ${isAttempt(key, 'u')} AND state = 'unknown' AND next_action = 'inquire' AND claimed_by IS NULL
      FOR NO KEY UPDATE),
    woken AS (
      UPDATE order_units u SET next_action_at = w.due_at
      FROM waiting w
      WHERE ${isOf('w', 'u')} AND w.next_action_at > w.due_at
      RETURNING ceil(extract(epoch FROM w.due_at - statement_timestamp()) * 1000)::int AS due_in_ms)
    SELECT EXISTS (SELECT FROM waiting) AS awaits_inquiry, (SELECT due_in_ms FROM woken) AS due_in_ms`,
);

/** In SQL: whether the unit's only send is in flight. */
const IS_ONLY_SEND = `u.state = 'sending' AND u.sends = 1`;

/**
 * Makes workers inquire about a unit instead of sending it, because its supplier has proved that it has the purchase. This also
 * holds for a unit whose send is in flight: the unit is in doubt from now on, even if the supplier does not accept that send.
 *
 * If an earlier send was not accepted, the proof may be about that send. Then a refusal of the send in flight says nothing about the
 * purchase. So the unit leaves its claim, and the next inquiry follows when the lease ends. A unit that was sent only once stays
 * in its claim, because the answer to its send is about the same purchase. An inquiry in flight is like a send: after several
 * sends, its answer may be about another purchase than the proof.
 */
export const MARK_IN_DOUBT = statement(
  'supplier_callbacks.mark_in_doubt',
  { ...ATTEMPT, minGapMs: 'bigint' },
  ({ minGapMs, ...key }) => `
    UPDATE order_units u SET
      state = CASE WHEN ${IS_ONLY_SEND} THEN u.state ELSE 'unknown' END, next_action = 'inquire',
      claim = CASE WHEN ${IS_ONLY_SEND} THEN u.claim ELSE u.claim + 1 END,
      attempt_claim = CASE WHEN ${IS_ONLY_SEND} THEN u.attempt_claim ELSE u.claim + 1 END,
      next_action_at = CASE u.next_action WHEN 'send'
        THEN greatest(statement_timestamp(), u.updated_at + make_interval(secs => ${minGapMs} / 1000.0))
        ELSE u.next_action_at END,
      unknown_since = coalesce(u.unknown_since, u.last_sent_at, statement_timestamp())
    WHERE ${isAttempt(key, 'u')} AND u.state IN ('queued', 'sending', 'unknown')
      AND (u.next_action = 'send' OR u.state = 'sending' AND u.inquiries = 0 AND (u.sends > 1 OR u.unknown_since IS NULL)
           OR u.state = 'unknown' AND u.claimed_by IS NOT NULL AND u.sends > 1)
    RETURNING u.supplier_id,
      ceil(extract(epoch FROM u.next_action_at - statement_timestamp()) * 1000)::int AS due_in_ms`,
);

const RECORD_CALLBACK = statement(
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

const REMOVE_OLD_CALLBACKS = removalOfOld('supplier_callbacks', 'id', 'received_at');

/** How many callbacks about one purchase are searched for its code. */
const MAX_BODIES = 10;

/** References of a purchase: ours, the supplier's, or both. */
export interface PurchaseNames {
  reference: string | null;
  supplierReference: string | null;
}

type NamedAttempt = Pick<FoundAttempt, 'order_id' | 'item' | 'unit' | 'attempt'> & { supplier_reference: string };

interface Woken {
  /** Whether the unit waits for an inquiry. */
  awaits_inquiry: boolean;
  /** The delay of this inquiry in milliseconds; null if it stays as it is. */
  due_in_ms: number | null;
}

type NewCallback = Omit<SupplierCallback, 'id' | 'received_at'>;

/** Callbacks of suppliers, and the attempts that they are about. */
@Injectable()
export class SupplierCallbacksRepository {
  constructor(private readonly database: Database) {}

  /** Finds the attempt by our reference, or if that is null by the supplier's. @returns null if no or several attempts match. */
  async findAttempt(supplierId: number, names: PurchaseNames): Promise<FoundAttempt | null> {
    const reference = names.reference ?? names.supplierReference;
    if (reference === null) return null;
    const find = names.reference === null ? FIND_ATTEMPT_BY_SUPPLIER_REFERENCE : FIND_ATTEMPT;
    const found = await this.database.query<FoundAttempt>(...find.with({ supplierId, reference }));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** Whether a callback with this delivery id was received before. */
  hasDelivery(supplierId: number, deliveryId: string): Promise<boolean> {
    const where = { supplier_id: supplierId, delivery_id: deliveryId };
    return this.database.manager.existsBy(SupplierCallback, where);
  }

  /** Makes the next inquiry about an open attempt due. */
  async wake(attempt: FoundAttempt, minGapMs: number): Promise<Woken> {
    const values = { ...attempt, minGapMs: BigInt(minGapMs) };
    const [woken] = await this.database.query<Woken>(...WAKE_UNIT.with(values));
    return present(woken, 'waking a unit returns one row');
  }

  /**
   * Schedules an inquiry instead of a send, because the supplier has proved that it has the purchase.
   * @returns the delay in milliseconds; null if nothing changed.
   */
  async markInDoubt(attempt: FoundAttempt, minGapMs: number): Promise<number | null> {
    const values = { ...attempt, minGapMs: BigInt(minGapMs) };
    const [marked] = await this.database.query<{ due_in_ms: number }>(...MARK_IN_DOUBT.with(values));
    return marked?.due_in_ms ?? null;
  }

  /** @returns the id of the stored callback. */
  async record(callback: NewCallback): Promise<bigint | undefined> {
    const [recorded] = await this.database.query<{ id: bigint }>(...RECORD_CALLBACK.with(callback));
    return recorded?.id;
  }

  /** The sealed bodies of callbacks that named the attempt by this supplier's reference, latest first. */
  async listBodies({ order_id, item, unit, attempt, supplier_reference }: NamedAttempt): Promise<Buffer[]> {
    const found = await this.database.manager.find(SupplierCallback, {
      select: { id: true, body_sealed: true },
      where: { order_id, item, unit, attempt, supplier_reference, body_sealed: Not(IsNull()) },
      order: { id: 'DESC' },
      take: MAX_BODIES,
    });
    return found.flatMap(({ body_sealed: body }) => body ?? []);
  }

  /** Removes up to `limit` callbacks that are older than `days`, by a clock up to `clockLimit`. @returns how many it removed. */
  async removeOld(days: number, limit: number, clockLimit: Date): Promise<number> {
    const removed = await this.database.query(...REMOVE_OLD_CALLBACKS.with({ days, limit, clockLimit }));
    return removed.length;
  }
}
