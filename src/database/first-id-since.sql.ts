import { statement, type ParameterizedStatement } from './parameters.js';

type Table = 'orders' | 'transfers' | 'events' | 'webhook_deliveries';

/**
 * The lowest id of the rows of a table that were created at a moment or later, one above all ids where there are none, and no
 * row where the table is empty. Ids rise with the time, so that some 23 looks into the primary key find it.
 * @param moment an expression of SQL.
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

/** The same as a statement of its own. @param name of the statement. */
export const firstIdSince = (name: string, table: Table): ParameterizedStatement<{ moment: 'timestamptz' }> =>
  statement(name, { moment: 'timestamptz' }, ({ moment }) => selectFirstIdSince(table, moment));
