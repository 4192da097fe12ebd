import { newEventId } from '../core/identifiers.js';
import type { EventKind } from './event.entity.js';
import { handledLater, type Queryable } from '../database/database.js';
import { RECORD_EVENTS } from './events.sql.js';

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

/**
 * The bytes of an event, made once: stored, signed and sent unchanged by every attempt to every endpoint (contract,
 * section 4).
 */
export function eventBody(id: string, kind: string, at: Date, data: object): string {
  return JSON.stringify({ id, event: kind, timestamp: Math.floor(at.getTime() / 1000), data });
}

/**
 * Records events, and one delivery for each active webhook that subscribes to them, in the transaction that made them
 * true. That transaction must hold the lock of each merchant's wallet: then a merchant's events are numbered in the order in
 * which they are committed, and none ever appears behind one that was read.
 * @returns the webhooks that have something to deliver, for a wake-up after the commit.
 */
export function recordEvents(tx: Queryable, events: MerchantEvent[]): Promise<number[]> {
  if (events.length === 0) return Promise.resolve([]);
  const rows = events.map(({ merchantId, kind, orderId, referenceId, data, at }) => {
    const id = newEventId();
    const body = eventBody(id, kind, at, data);
    return {
      public_id: id,
      merchant_id: merchantId,
      kind,
      order_id: orderId,
      reference_id: referenceId,
      body,
      created_at: at,
    };
  });
  const deliveries = tx.query<{ webhook_id: number }>(...RECORD_EVENTS.with({ events: rows }));
  return handledLater(deliveries.then((made) => made.map(({ webhook_id }) => webhook_id)));
}
