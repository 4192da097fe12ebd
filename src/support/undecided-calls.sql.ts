import { statement } from '../database/parameters.js';

/**
 * The latest calls to a supplier that decided nothing. Calls have no index but by their ids and units, so only so many of
 * the latest, of all suppliers, are looked through: no order pays for another.
 */
export const FIND_UNDECIDED = statement(
  'undecided_calls.find',
  { supplierId: 'int', outcomes: 'text[]', among: 'int', limit: 'int' },
  ({ supplierId, outcomes, among, limit }) => `
    SELECT c.id, c.ended_at, c.kind, c.outcome, c.detail, c.duration_ms, c.process, o.order_number, c.item, c.unit
    FROM (SELECT * FROM supplier_calls ORDER BY id DESC LIMIT ${among}) c
    CROSS JOIN LATERAL (
      SELECT a.supplier_id FROM unit_attempts a
      WHERE a.order_id = c.order_id AND a.item = c.item AND a.unit = c.unit
        -- Older calls do not say which attempt they were about.
        AND (a.number = c.attempt OR c.attempt IS NULL AND a.created_at <= c.ended_at)
      ORDER BY a.number DESC LIMIT 1) made
    JOIN orders o ON o.id = c.order_id
    WHERE c.outcome = ANY (${outcomes}) AND made.supplier_id = ${supplierId}
    ORDER BY c.id DESC LIMIT ${limit}`,
);
