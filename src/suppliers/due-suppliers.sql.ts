import { statement, type ParameterizedStatement } from '../database/parameters.js';

type OfAdapters = ParameterizedStatement<{ adapters: 'text[]'; intervalMs: 'bigint' }>;

/**
 * Claims the suppliers that are due for a regular call: writes the time of their next call, and returns them. The interval varies
 * a little, so that not all calls happen at once. If the time is null, a supplier is due one interval after the last change of its
 * settings. Skips rows that another process has locked.
 * @param dueAt the column with the time of the next call.
 * @param condition an SQL condition on the row `s` of a supplier.
 * @param returned columns of the due suppliers.
 */
export const claimDueSuppliers = (
  name: string,
  dueAt: 'balance_due_at' | 'purchases_due_at',
  condition: string,
  returned: string,
): OfAdapters =>
  statement(
    name,
    { adapters: 'text[]', intervalMs: 'bigint' },
    ({ adapters, intervalMs }) => `
      UPDATE suppliers
      SET ${dueAt} = statement_timestamp() + ${intervalMs} * (0.95 + random() / 10) * interval '1 millisecond'
      WHERE id IN (
        SELECT s.id FROM suppliers s
        WHERE s.adapter = ANY(${adapters}) AND ${condition}
          AND coalesce(s.${dueAt}, s.updated_at + ${intervalMs} * interval '1 millisecond') <= statement_timestamp()
        FOR NO KEY UPDATE OF s SKIP LOCKED)
      RETURNING ${returned}`,
  );
