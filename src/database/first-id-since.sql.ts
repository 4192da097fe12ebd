import { statement, type ParameterizedStatement } from './parameters.js';

type Table = 'orders' | 'transfers' | 'events' | 'webhook_deliveries';

/**
 * Selects an id: rows with this id or a higher one were created at a moment or later, and rows with a lower id before
 * that moment. The id itself may have no row: if all rows are older, it is the highest id plus 1. If the table is
 * empty, the query selects no row. Ids rise with time, so a binary search finds the id among ten million in some 24
 * lookups by the primary key. Ids do not rise with time around a moment at which the database's clock was set back. If the
 * search ends there, rows that overlap in time may be on the wrong side.
 * @param moment an SQL expression.
 */
export const selectFirstIdSince = (table: Table, moment: string): string => `
    WITH RECURSIVE search (low, high) AS (
      SELECT (SELECT min(id) FROM ${table}), (SELECT max(id) FROM ${table}) + 1
      UNION ALL
      SELECT CASE WHEN probe.created_at < ${moment} THEN probe.id + 1 ELSE search.low END,
             CASE WHEN probe.created_at < ${moment} THEN search.high ELSE (search.low + search.high) / 2 END
      FROM search CROSS JOIN LATERAL (
        SELECT id, created_at FROM ${table} WHERE id >= (search.low + search.high) / 2 ORDER BY id LIMIT 1) probe
      WHERE search.low < search.high)
    SELECT low AS id FROM search WHERE low >= high LIMIT 1`;

/** A statement of {@link selectFirstIdSince}. @param name the name of the statement. */
export const firstIdSince = (name: string, table: Table): ParameterizedStatement<{ moment: 'timestamptz' }> =>
  statement(name, { moment: 'timestamptz' }, ({ moment }) => selectFirstIdSince(table, moment));
