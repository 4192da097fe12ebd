import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';

/**
 * In SQL: the number of a sandbox unit in its order, counted from 1 over all items. For other units it is null and reads no row.
 * @param unit the alias of the unit's row.
 */
export const sandboxUnitIn = (unit: string): string => `
  CASE ${unit}.supplier_id WHEN ${SANDBOX_SUPPLIER_ID} THEN ${unit}.unit + (
    SELECT coalesce(sum(quantity), 0) FROM order_items earlier
    WHERE earlier.order_id = ${unit}.order_id AND earlier.position < ${unit}.item)::int END`;
