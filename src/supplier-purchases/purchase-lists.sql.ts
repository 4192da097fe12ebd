import { statement } from '../database/parameters.js';

/**
 * Those that are not paused for what a call would make worse. The interval varies a little, so that they are not all asked
 * at once. What is new is first asked after an interval. What another process is taking is left to it.
 */
export const TAKE_DUE_LISTS = statement(
  'purchase_lists.take_due',
  { adapters: 'text[]', intervalMs: 'bigint' },
  ({ adapters, intervalMs }) => `
    UPDATE suppliers
    SET purchases_due_at = statement_timestamp() + ${intervalMs} * (0.95 + random() / 10) * interval '1 millisecond'
    WHERE id IN (
      SELECT s.id FROM suppliers s
      WHERE s.adapter = ANY(${adapters}) AND (s.pause_reason IS NULL OR s.pause_reason NOT IN ('credentials', 'ban'))
        AND coalesce(s.purchases_due_at, s.updated_at + ${intervalMs} * interval '1 millisecond') <= statement_timestamp()
      FOR NO KEY UPDATE OF s SKIP LOCKED)
    RETURNING code, purchases_listed_at, purchases_place, statement_timestamp() AS now`,
);

/** Unless the supplier was moved while it was asked. */
export const RECORD_LISTED = statement(
  'purchase_lists.record',
  { id: 'int', adapter: 'text', baseUrl: 'text', listedAt: 'timestamptz' },
  ({ id, adapter, baseUrl, listedAt }) => `
    UPDATE suppliers SET purchases_listed_at = ${listedAt}, purchases_place = NULL
    WHERE id = ${id} AND adapter = ${adapter} AND base_url = ${baseUrl}`,
);

export const RECORD_PLACE = statement(
  'purchase_lists.record_place',
  { id: 'int', place: 'text?' },
  ({ id, place }) => `UPDATE suppliers SET purchases_place = ${place}::jsonb WHERE id = ${id}`,
);
