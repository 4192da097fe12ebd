import { statement } from '../database/parameters.js';
import { attemptOfCall } from './attempt-of-call.sql.js';

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
    CROSS JOIN LATERAL (${attemptOfCall('c')}) made
    JOIN orders o ON o.id = c.order_id
    WHERE c.outcome = ANY (${outcomes}) AND made.supplier_id = ${supplierId}
    ORDER BY c.id DESC LIMIT ${limit}`,
);
