import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';

/**
 * Which piece of its order a unit of the sandbox is, counted from 1 over all items, in SQL; null for other units, for which
 * nothing is looked up. @param unit what the statement calls the row that has the unit's columns.
 */
export const sandboxPieceIn = (unit: string): string => `
  CASE ${unit}.supplier_id WHEN ${SANDBOX_SUPPLIER_ID} THEN ${unit}.unit + (
    SELECT coalesce(sum(quantity), 0) FROM order_items earlier
    WHERE earlier.order_id = ${unit}.order_id AND earlier.position < ${unit}.item)::int END`;
