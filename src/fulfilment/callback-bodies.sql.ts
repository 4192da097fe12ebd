import { statement } from '../database/parameters.js';

/** The latest callbacks about an attempt that called it by one name of the supplier's. */
export const FIND_BODIES = statement(
  'callback_bodies.find',
  {
    ...{ order_id: 'bigint', item: 'smallint', unit: 'smallint', attempt: 'smallint' },
    ...{ supplier_reference: 'text', limit: 'int' },
  },
  ({ order_id, item, unit, attempt, supplier_reference, limit }) => `
    SELECT body_sealed FROM supplier_callbacks
    WHERE order_id = ${order_id} AND item = ${item} AND unit = ${unit} AND attempt = ${attempt}
      AND supplier_reference = ${supplier_reference} AND body_sealed IS NOT NULL
    ORDER BY id DESC LIMIT ${limit}`,
);
