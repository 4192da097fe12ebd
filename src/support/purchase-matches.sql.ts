import { statement } from '../database/parameters.js';

/**
 * Units for the same player that may be a purchase which no book knows, ordered again: of any supplier, where they are of a
 * product that this supplier sells under that SKU. One look into an index for each merchant.
 */
export const FIND_MATCHES = statement(
  'purchase_matches.find',
  {
    supplierId: 'int',
    sku: 'text?',
    players: 'text[]',
    from: 'timestamptz',
    to: 'timestamptz',
    limit: 'int',
  },
  ({ supplierId, sku, players, from, to, limit }) => `
    SELECT o.order_number, o.merchant_id, o.reference_id, o.user_id, o.server_id, o.created_at, u.item, u.unit, u.state,
           s.code AS supplier, a.reference
    FROM merchants m
    CROSS JOIN LATERAL (
      SELECT id, order_number, merchant_id, reference_id, user_id, server_id, created_at FROM orders
      WHERE merchant_id = m.id AND user_id = ANY(${players}) AND created_at >= ${from} AND created_at < ${to}
      ORDER BY created_at LIMIT ${limit}) o
    JOIN order_items i ON i.order_id = o.id
    JOIN order_units u ON u.order_id = i.order_id AND u.item = i.position
    JOIN suppliers s ON s.id = u.supplier_id
    LEFT JOIN unit_attempts a
      ON a.order_id = u.order_id AND a.item = u.item AND a.unit = u.unit AND a.number = u.attempt
    WHERE ${sku} IS NULL OR coalesce(a.supplier_sku, i.supplier_sku) = ${sku} OR i.sku IN (
      SELECT p.sku FROM supplier_offers f JOIN products p ON p.id = f.product_id
      WHERE f.supplier_id = ${supplierId} AND f.supplier_sku = ${sku})
    ORDER BY o.created_at, o.id, u.item, u.unit LIMIT ${limit}`,
);
