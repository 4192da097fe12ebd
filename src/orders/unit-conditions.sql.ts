/** In SQL: whether the unit's latest attempt was sent once. `sends` also counts the sends of earlier attempts. */
export const isSentOnce = (unit: string): string =>
  `(${unit}.sends = 1 OR ${unit}.first_sent_at = ${unit}.last_sent_at)`;

/** In SQL: whether a supplier has reported that an earlier attempt bought the unit, and no operator has closed this discrepancy. */
export const isSold = (unit: string): string => `
             EXISTS (SELECT FROM supplier_reversals r
                     WHERE r.order_id = ${unit}.order_id AND r.item = ${unit}.item AND r.unit = ${unit}.unit
                       AND r.kind = 'bought_late' AND r.status <> 'closed')`;
