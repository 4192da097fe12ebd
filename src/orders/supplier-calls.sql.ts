/**
 * All calls and callbacks of suppliers, as a FROM item with the columns of `supplier_calls`. A send that bought its unit and had
 * nothing else to tell stands in the unit, whose row is written at that moment anyway.
 */
export const SUPPLIER_CALLS = `(
  SELECT id, order_id, item, unit, attempt, kind, outcome, detail, process, duration_ms, ended_at FROM supplier_calls
  UNION ALL
  SELECT 0, order_id, item, unit, attempt, 'send', 'succeeded', NULL, call_process, call_duration_ms, updated_at
  FROM order_units WHERE call_process IS NOT NULL)`;
