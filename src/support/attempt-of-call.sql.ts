/** Whether two rows are of the same unit. @param one, other what the statement calls them. */
export const isSameUnit = (one: string, other: string): string =>
  ['order_id', 'item', 'unit'].map((column) => `${one}.${column} = ${other}.${column}`).join(' AND ');

/**
 * The attempt that a call was about, for a LATERAL. A call from before calls said so is of the last one that had begun before
 * it; the call that ends an attempt is written by the transaction that begins the next one, a moment later.
 * @param call what the statement calls the row of `supplier_calls`.
 */
export const attemptOfCall = (call: string): string => `
  SELECT a.number, a.supplier_id, a.ended_at FROM unit_attempts a
  WHERE ${isSameUnit('a', call)} AND (a.number = ${call}.attempt OR ${call}.attempt IS NULL AND (a.number = 1
    OR a.created_at < ${call}.ended_at - ${call}.duration_ms * interval '1 ms'))
  ORDER BY a.number DESC LIMIT 1`;
