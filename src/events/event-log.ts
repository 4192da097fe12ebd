import { newEventId } from '../core/identifiers.js';
import type { EventKind } from './event.entity.js';
import { handledLater, type Queryable } from '../database/database.js';
import { RECORD_EVENTS } from './events.sql.js';

export interface MerchantEvent {
  merchantId: number;
  kind: EventKind;
  /** Null if the event is not about an order. */
  orderId: bigint | null;
  /** The merchant's reference of the order or deposit; null for other events. */
  referenceId: string | null;
  /**
   * For an ended order or a deposit: the answer of its GET route, without codes, serial numbers and images; for a paid
   * deposit also the `payment`. For a low balance: the members of `LowBalanceDto`.
   */
  data: object;
  at: Date;
}

/**
 * Makes the bytes of an event, once. Every attempt to deliver the event signs and sends these bytes unchanged
 * (contract, section 4). The only exception: for webhooks with `include_deliveries`, the sender adds the codes and
 * serial numbers.
 */
export function eventBody(id: string, kind: string, at: Date, data: object): string {
  return JSON.stringify({ id, event: kind, timestamp: Math.floor(at.getTime() / 1000), data });
}

/**
 * Records events in the open transaction, with a delivery for each active webhook that subscribes to them. The transaction must
 * hold the locks of the merchants' wallets. So a merchant's events get their ids in the order of the commits, and a new event
 * always comes after all events that a merchant has read.
 * @returns the webhooks with new deliveries, for a wake-up after the commit.
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
