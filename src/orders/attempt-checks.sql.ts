/**
 * In SQL: the end of an INSERT into `attempt_checks`. An attempt has one check, which is due at the earliest requested
 * time. While a check is under way, its row has the time of the next query. An earlier time makes the check due once
 * more, because the supplier may have answered before the new reason for a check arose.
 */
export const OR_SOONER = `ON CONFLICT (order_id, item, unit, attempt)
      DO UPDATE SET due_at = excluded.due_at WHERE excluded.due_at < attempt_checks.due_at`;
