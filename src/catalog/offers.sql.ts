import { statement } from '../database/parameters.js';
import type { Product } from './product.entity.js';
import { offersOf, routingOrder, ROUTING_PARAMETERS, type RoutedOffer } from './routing.sql.js';

export type ListedOffer = RoutedOffer & Pick<Product, 'sku'>;

/** Offers that products got in this transaction have the cost that their supplier's catalogue says, if it was read. */
export const TAKE_COSTS = statement(
  'offers.take_costs',
  { skus: 'text[]' },
  ({ skus }) => `
    UPDATE supplier_offers o
    SET cost_micros = c.cost_micros, cost_currency = c.cost_currency, cost_at = c.last_seen_at
    FROM products p, supplier_products c
    WHERE p.sku = ANY (${skus}) AND o.product_id = p.id AND o.cost_micros IS NULL AND o.created_at = now()::timestamptz(3)
      AND c.supplier_id = o.supplier_id AND c.sku = o.supplier_sku AND c.cost_micros IS NOT NULL`,
);

/** By SKU, those of each in the order in which they are tried. */
export const LIST_OFFERS = statement(
  'offers.list',
  { skus: 'text[]?', supplier: 'text?', ...ROUTING_PARAMETERS },
  ({ skus, supplier, ...limits }) => `
    SELECT p.sku, offer.* FROM products p CROSS JOIN LATERAL (${offersOf(limits)}) offer
    WHERE (${skus} IS NULL OR p.sku = ANY (${skus})) AND (${supplier} IS NULL OR offer.supplier_code = ${supplier})
    ORDER BY p.sku, ${routingOrder('offer')}`,
);
