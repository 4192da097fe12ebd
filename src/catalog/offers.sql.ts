import { statement } from '../database/parameters.js';
import type { Product } from './product.entity.js';
import { offersOf, routingOrder, ROUTING_PARAMETERS, type RoutedOffer } from './routing.sql.js';

export type ListedOffer = RoutedOffer & Pick<Product, 'sku'>;

/** By SKU, those of each in the order in which they are tried. */
export const LIST_OFFERS = statement(
  'offers.list',
  { skus: 'text[]?', supplier: 'text?', ...ROUTING_PARAMETERS },
  ({ skus, supplier, ...limits }) => `
    SELECT p.sku, offer.* FROM products p CROSS JOIN LATERAL (${offersOf(limits)}) offer
    WHERE (${skus} IS NULL OR p.sku = ANY (${skus})) AND (${supplier} IS NULL OR offer.supplier_code = ${supplier})
    ORDER BY p.sku, ${routingOrder('offer')}`,
);
