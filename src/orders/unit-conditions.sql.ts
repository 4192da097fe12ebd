/** The key of a unit. */
export const UNIT = { order_id: 'bigint', item: 'smallint', unit: 'smallint' } as const;

/** In SQL: whether a row belongs to a unit. Both arguments are aliases of rows with the columns of a unit's key. */
export const isOf = (unit: string, row: string): string =>
  ['order_id', 'item', 'unit'].map((column) => `${row}.${column} = ${unit}.${column}`).join(' AND ');

/**
 * In SQL: whether the unit's latest attempt was sent once at most. `sends` also counts the sends of earlier attempts, so equal
 * times of its first and last send prove it, too.
 */
export const isSentOnce = (unit: string): string =>
  `(${unit}.sends = 1 OR ${unit}.first_sent_at = ${unit}.last_sent_at)`;

/** In SQL: whether a supplier has reported that an ended attempt bought the unit, and no operator has closed this discrepancy. */
export const isSold = (unit: string): string => `
             EXISTS (SELECT FROM supplier_reversals r
                     WHERE ${isOf(unit, 'r')}
                       AND r.kind = 'bought_late' AND r.status <> 'closed')`;

/**
 * In SQL, about the unit `u`: whether the supplier has certainly not accepted any send of its latest attempt. While an attempt is in doubt,
 * `unknown_since` is set. A concurrent claim is harmless: if the claim is first, the unit is no longer `queued`; if it is second,
 * it finds the new state.
 */
export const CERTAINLY_NOT_BOUGHT = `u.state = 'queued' AND u.unknown_since IS NULL AND u.claimed_by IS NULL`;
