import { statement } from '../../database/parameters.js';
import { takeDueSuppliers } from '../../suppliers/due-suppliers.sql.js';

/** Those that are not paused for what a call would make worse. */
export const TAKE_DUE_LISTS = takeDueSuppliers(
  'purchase_lists.take_due',
  'purchases_due_at',
  `(s.pause_reason IS NULL OR s.pause_reason NOT IN ('credentials', 'ban'))`,
  'code, purchases_listed_at, purchases_place, statement_timestamp() AS now',
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
