import { rowsOf, statement } from '../database/parameters.js';
import type { MerchantPrice } from './merchant-price.entity.js';
import type { Product } from './product.entity.js';
import { offersOf, routingOrder, ROUTING_PARAMETERS } from './routing.sql.js';

export type ListPrice = Pick<Product, 'id' | 'sku' | 'price'>;

/** A merchant's own price beside the list price, which caps it. */
export type StoredPrice = Pick<MerchantPrice, 'merchant_id' | 'product_id' | 'price'> &
  Pick<Product, 'sku'> & { list_price: Product['price'] };

const LIST_PRICES = 'SELECT id, sku, price FROM products';

const OWN = `
  SELECT own.merchant_id, p.sku, own.product_id, own.price, p.price AS list_price
  FROM merchant_prices own JOIN products p ON p.id = own.product_id`;

const PAIRS = rowsOf({ merchant_id: 'int', product_id: 'int' });

export const LIST_OWN = statement(
  'prices.list_own',
  { merchantId: 'int?', sku: 'text?' },
  ({ merchantId, sku }) => `
    ${OWN} WHERE (${merchantId} IS NULL OR own.merchant_id = ${merchantId}) AND (${sku} IS NULL OR p.sku = ${sku})
    ORDER BY own.merchant_id, p.sku`,
);

export const FIND_PRODUCTS = statement(
  'prices.find_products',
  { skus: 'text[]' },
  ({ skus }) => `${LIST_PRICES} WHERE sku = ANY(${skus}) ORDER BY sku`,
);

/** The same; their list prices stay until the transaction ends. */
export const LOCK_PRODUCTS = statement(
  'prices.lock_products',
  { skus: 'text[]' },
  ({ skus }) => `${LIST_PRICES} WHERE sku = ANY(${skus}) ORDER BY sku FOR SHARE`,
);

export const LOCK_OWN = statement(
  'prices.lock_own',
  { pairs: PAIRS },
  ({ pairs }) => `
    ${OWN} JOIN ${pairs.as('pair')} ON pair.merchant_id = own.merchant_id AND pair.product_id = own.product_id
    ORDER BY own.merchant_id, p.sku FOR NO KEY UPDATE OF own`,
);

export const LOCK_LIKE = statement(
  'prices.lock_like',
  { pattern: 'text', skus: 'text[]?' },
  ({ pattern, skus }) => `
    ${LIST_PRICES} WHERE sku LIKE ${pattern} AND (${skus} IS NULL OR sku = ANY (${skus}))
    ORDER BY sku FOR NO KEY UPDATE`,
);

export const OWN_LIKE = statement(
  'prices.own_like',
  { pattern: 'text' },
  ({ pattern }) => `${OWN} WHERE p.sku LIKE ${pattern} ORDER BY p.sku, own.merchant_id`,
);

/** Neither they nor their list prices change until the transaction ends. */
export const LOCK_OWN_LIKE = statement(
  'prices.lock_own_like',
  { pattern: 'text', merchantId: 'int' },
  ({ pattern, merchantId }) => `
    ${OWN} WHERE p.sku LIKE ${pattern} AND own.merchant_id = ${merchantId}
    ORDER BY p.sku FOR NO KEY UPDATE OF own FOR SHARE OF p`,
);

export const SET_OWN = statement(
  'prices.set_own',
  { prices: rowsOf({ merchant_id: 'int', product_id: 'int', price: 'bigint' }) },
  ({ prices }) => `
    INSERT INTO merchant_prices (${prices.names}) SELECT * FROM ${prices.unnest}
    ON CONFLICT (merchant_id, product_id) DO UPDATE SET price = excluded.price, updated_at = now()`,
);

export const CLEAR_OWN = statement(
  'prices.clear_own',
  { pairs: PAIRS },
  ({ pairs }) => `
    DELETE FROM merchant_prices own USING ${pairs.as('gone')}
    WHERE own.merchant_id = gone.merchant_id AND own.product_id = gone.product_id`,
);

export const SET_LIST = statement(
  'prices.set_list',
  { products: rowsOf({ id: 'int', price: 'bigint' }) },
  ({ products }) => `
    UPDATE products SET price = changed.price, updated_at = now()
    FROM ${products.as('changed')} WHERE products.id = changed.id`,
);

/** A product at a merchant's prices. */
export type PricedProduct = Pick<Product, 'id' | 'sku' | 'name' | 'active'> & {
  list_price: Product['price'];
  /** As it is stored; above the list price it does not hold. Null where the list price holds. */
  own_price: MerchantPrice['price'] | null;
  /** Of the offer to buy from now, in satang: a whole number in text. Null where that is not known. */
  cost: string | null;
};

/** By SKU. The cost is of the first offer that can be used, or could at a higher price. */
export const PAGE_OF_MERCHANT = statement(
  'prices.page_of_merchant',
  {
    ...({ merchantId: 'int', sku: 'text?', isOwnOnly: 'boolean', part: 'text?' } as const),
    ...({ afterId: 'int', limit: 'int' } as const),
    ...ROUTING_PARAMETERS,
  },
  ({ merchantId, sku, isOwnOnly, part, afterId, limit, ...limits }) => `
    SELECT p.id, p.sku, p.name, p.active, p.price AS list_price, own.price AS own_price, used.cost
    FROM products p
    LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = ${merchantId}
    LEFT JOIN LATERAL (
      SELECT offer.cost FROM (${offersOf(limits, { price: 'least(p.price, coalesce(own.price, p.price))' })}) offer
      WHERE coalesce(offer.why_not, 'no_margin') = 'no_margin' ORDER BY ${routingOrder('offer')} LIMIT 1) used ON true
    WHERE (${sku} IS NULL OR p.sku = ${sku}) AND (own.price IS NOT NULL OR NOT ${isOwnOnly})
      AND p.sku > coalesce((SELECT sku FROM products WHERE id = ${afterId}), '')
      AND (${part} IS NULL OR strpos(lower(p.sku), lower(${part})) > 0 OR strpos(lower(p.name), lower(${part})) > 0)
    ORDER BY p.sku LIMIT ${limit}`,
);
