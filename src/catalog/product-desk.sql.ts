import { statement } from '../database/parameters.js';

/** By SKU. A product is of every supplier that it has an offer of. */
export const PAGE_OF_PRODUCTS = statement(
  'product_desk.page',
  { supplier: 'text?', active: 'boolean?', q: 'text?', after: 'int?', limit: 'int?' },
  ({ supplier, active, q, after, limit }) => `
    SELECT p.id, p.sku FROM products p
    WHERE (${after} IS NULL OR p.sku > (SELECT sku FROM products WHERE id = ${after}))
      AND (${active} IS NULL OR p.active = ${active})
      AND (${q} IS NULL OR position(lower(${q}) IN lower(p.sku)) > 0 OR position(lower(${q}) IN lower(p.name)) > 0)
      AND (${supplier} IS NULL OR EXISTS (
        SELECT FROM supplier_offers o JOIN suppliers s ON s.id = o.supplier_id
        WHERE o.product_id = p.id AND s.code = ${supplier}))
    ORDER BY p.sku LIMIT ${limit}`,
);
