import { statement } from '../database/parameters.js';

/** As what a term was found to be an order's. */
export type FoundAs = 'number' | 'reference' | 'player' | 'supplier_reference' | 'event' | 'delivery';

export interface FoundOrder {
  id: bigint;
  found_as: FoundAs;
}

/**
 * The newest orders that a term may mean: one look into an index for each thing that it may be. With `OR` between them
 * PostgreSQL would read all orders.
 */
export const FIND_BY_TERM = statement(
  'order_search.find_by_term',
  { term: 'text', orderNumber: 'text', deliveryId: 'bigint?', withPlayers: 'boolean', limit: 'int' },
  ({ term, orderNumber, deliveryId, withPlayers, limit }) => `
    SELECT DISTINCT ON (found.id) found.id, found.found_as FROM (
      (SELECT o.id, 'number' AS found_as, 1 AS rank FROM orders o WHERE o.order_number = ${orderNumber})
      UNION ALL
      (SELECT o.id, 'reference', 2 FROM merchants m CROSS JOIN LATERAL (
         SELECT id FROM orders WHERE merchant_id = m.id AND reference_id = ${term} LIMIT 1) o
       LIMIT ${limit})
      UNION ALL
      (SELECT o.id, 'player', 3 FROM merchants m CROSS JOIN LATERAL (
         SELECT id FROM orders WHERE merchant_id = m.id AND user_id = ${term}
         ORDER BY created_at DESC, id DESC LIMIT ${limit}) o
       WHERE ${withPlayers} ORDER BY o.id DESC LIMIT ${limit})
      UNION ALL
      (SELECT a.order_id, 'supplier_reference', 4 FROM suppliers s CROSS JOIN LATERAL (
         SELECT order_id FROM unit_attempts WHERE supplier_id = s.id AND supplier_reference = ${term} LIMIT ${limit}) a
       LIMIT ${limit})
      UNION ALL
      (SELECT e.order_id, 'event', 5 FROM events e WHERE e.public_id = ${term} AND e.order_id IS NOT NULL)
      UNION ALL
      (SELECT e.order_id, 'delivery', 6 FROM webhook_deliveries d JOIN events e ON e.id = d.event_id
       WHERE d.id = ${deliveryId} AND e.order_id IS NOT NULL)) found
    ORDER BY found.id DESC, found.rank`,
);
