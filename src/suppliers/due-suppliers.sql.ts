import { statement, type ParameterizedStatement } from '../database/parameters.js';

type OfAdapters = ParameterizedStatement<{ adapters: 'text[]'; intervalMs: 'bigint' }>;

/**
 * Takes suppliers that are due to be asked for something. The interval varies a little, so that they are not all asked at
 * once. What is new is first asked after an interval. What another process is taking is left to it.
 * @param dueAt the column that has when they are due.
 * @param condition which of those of the adapters are asked at all, of the row `s`.
 * @param returned columns of those that are due.
 */
export const takeDueSuppliers = (
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
