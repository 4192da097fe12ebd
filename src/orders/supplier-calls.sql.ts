/**
 * A FROM item with all recorded calls and callbacks, in the columns of `supplier_calls`. A send that bought its unit,
 * and whose answer had no further details, is stored in the unit's row, because the settlement writes that row anyway.
 */
export const SUPPLIER_CALLS = `(
  SELECT id, order_id, item, unit, attempt, kind, outcome, detail, process, duration_ms, ended_at FROM supplier_calls
  UNION ALL
  SELECT 0, order_id, item, unit, attempt, 'send', 'succeeded', NULL, call_process, call_duration_ms, updated_at
  FROM order_units WHERE call_process IS NOT NULL)`;
