import { newEventId } from '../core/identifiers.js';
import type { EventKind } from './event.entity.js';
import { handledLater, type Queryable, type Statement } from '../database/database.js';

export interface MerchantEvent {
  merchantId: number;
  kind: EventKind;
  /** Null where it is not about an order. */
  orderId: bigint | null;
  referenceId: string | null;
  /** Of an order's end, the order as GET returns it. */
  data: object;
  at: Date;
}

const RECORD: Statement = {
  name: 'events.record',
  text: `
    WITH recorded AS (
      INSERT INTO events (public_id, merchant_id, kind, order_id, reference_id, body, created_at)
      SELECT * FROM unnest($1::text[], $2::int[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::timestamptz[])
      RETURNING id, merchant_id, kind, created_at)
    INSERT INTO webhook_deliveries (webhook_id, event_id, kind, due_at, created_at, updated_at)
    SELECT webhooks.id, recorded.id, recorded.kind, recorded.created_at, recorded.created_at, recorded.created_at
    FROM recorded JOIN webhooks ON webhooks.merchant_id = recorded.merchant_id
    WHERE webhooks.deleted_at IS NULL AND webhooks.status = 'active' AND recorded.kind = ANY (webhooks.events)
    ORDER BY recorded.id, webhooks.id
    RETURNING webhook_id`,
};

/**
 * The bytes of an event, made once: stored, signed and sent unchanged by every attempt to every endpoint (contract,
 * section 4).
 */
export function eventBody(id: string, kind: string, at: Date, data: object): string {
  return JSON.stringify({ id, event: kind, timestamp: Math.floor(at.getTime() / 1000), data });
}

/**
 * Records events, and one delivery for each active webhook that subscribes to them, in the transaction that made them
 * true.
 * @returns the webhooks that have something to deliver, for a wake-up after the commit.
 */
export function recordEvents(tx: Queryable, events: MerchantEvent[]): Promise<number[]> {
  if (events.length === 0) return Promise.resolve([]);
  const rows = events.map((event) => ({ ...event, id: newEventId() }));
  const deliveries = tx.query<{ webhook_id: number }>(RECORD, [
    rows.map(({ id }) => id),
    rows.map(({ merchantId }) => merchantId),
    rows.map(({ kind }) => kind),
    rows.map(({ orderId }) => orderId),
    rows.map(({ referenceId }) => referenceId),
    rows.map(({ id, kind, at, data }) => eventBody(id, kind, at, data)),
    rows.map(({ at }) => at),
  ]);
  return handledLater(deliveries.then((made) => made.map(({ webhook_id }) => webhook_id)));
}
