import { DELIVERY_ATTEMPTS } from '../../src/webhooks/delivery-attempts.sql.js';
import type { Receiver } from './receiver.js';
import type { ChaosSystem } from './system.js';
import type { Violations } from './violations.js';

/** A webhook as it was registered. */
export interface Subscription {
  endpoint: string;
  merchantId: number;
  events: string[];
}

interface TerminalOrder {
  merchant_id: number;
  order_number: string;
  reference_id: string;
  status: string;
  event_id: string | null;
}

/** Compares the received webhooks with the events in the database. */
export async function checkReceivers(
  system: Pick<ChaosSystem, 'sql'>,
  receiver: Pick<Receiver, 'arrivals'>,
  subscriptions: Subscription[],
  violations: Violations,
): Promise<void> {
  const ended = await system.sql<TerminalOrder>(`
    SELECT o.merchant_id, o.order_number, o.reference_id, o.status, e.public_id AS event_id
    FROM orders o LEFT JOIN events e ON e.order_id = o.id WHERE o.status IN ('completed', 'failed')`);
  const bodies = new Map<string, string>();
  const taken = new Set<string>();
  const subscribed = new Set<string>();
  for (const arrival of receiver.arrivals) {
    const { endpoint, eventId, body, signatureProblem, answered } = arrival;
    if (signatureProblem !== null) {
      violations.add('receivers', 'a delivery came with no valid signature', arrival);
      continue;
    }
    const first = bodies.get(eventId) ?? body;
    bodies.set(eventId, first);
    if (first !== body) violations.add('receivers', 'one event came with two bodies', { eventId, first, body });
    if (answered !== 'reset' && answered < 300) taken.add(`${endpoint} ${eventId}`);
  }
  for (const order of ended) {
    for (const { endpoint, merchantId, events } of subscriptions) {
      if (merchantId !== order.merchant_id || !events.includes(`order.${order.status}`)) continue;
      subscribed.add(`${endpoint} ${order.event_id}`);
      if (!taken.has(`${endpoint} ${order.event_id}`)) {
        const attempts = receiver.arrivals.filter(
          (each) => each.eventId === order.event_id && each.endpoint === endpoint,
        );
        const log = await deliveryLog(system, order.event_id);
        violations.add('receivers', 'a receiver never took a terminal order', {
          order,
          endpoint,
          attempts,
          log,
        });
      }
    }
  }
  for (const { endpoint, eventId, body } of receiver.arrivals) {
    if (!subscribed.has(`${endpoint} ${eventId}`)) {
      violations.add('receivers', 'a receiver got what it did not subscribe to', { endpoint, eventId, body });
    }
  }
}

function deliveryLog(system: Pick<ChaosSystem, 'sql'>, eventId: string | null): Promise<object[]> {
  return system.sql(
    `SELECT d.webhook_id, d.status, d.attempt_count, a.number, a.started_at, a.response_status, a.error
     FROM events e JOIN webhook_deliveries d ON d.event_id = e.id
     LEFT JOIN ${DELIVERY_ATTEMPTS} a ON a.delivery_id = d.id
     WHERE e.public_id = $1 ORDER BY d.webhook_id, a.number`,
    [eventId],
  );
}
