import type { Satang } from '../core/money.js';
import type { Statement } from '../database/database.js';

export interface OwnPriceRow {
  merchant_id: number;
  sku: string;
  product_id: number;
  price: Satang;
  list_price: Satang;
}

export interface ListPriceRow {
  id: number;
  sku: string;
  price: Satang;
}

const OWN = `
  SELECT own.merchant_id, p.sku, own.product_id, own.price, p.price AS list_price
  FROM merchant_prices own JOIN products p ON p.id = own.product_id`;

/** $1 merchant, $2 SKU: null for all. */
export const LIST_OWN: Statement = {
  name: 'prices.list_own',
  text: `${OWN} WHERE ($1::int IS NULL OR own.merchant_id = $1) AND ($2::text IS NULL OR p.sku = $2)
         ORDER BY own.merchant_id, p.sku`,
};

/** $1 the SKUs. */
export const FIND_PRODUCTS: Statement = {
  name: 'prices.find_products',
  text: `SELECT id, sku, price FROM products WHERE sku = ANY($1::text[]) ORDER BY sku`,
};

/** The same; their list prices stay until the transaction ends. */
export const LOCK_PRODUCTS: Statement = {
  name: 'prices.lock_products',
  text: `${FIND_PRODUCTS.text} FOR SHARE`,
};

export const FIND_MERCHANTS: Statement = {
  name: 'prices.find_merchants',
  text: `SELECT id FROM merchants WHERE id = ANY($1::int[])`,
};

/** $1 merchants and $2 products, pair by pair. */
export const LOCK_OWN: Statement = {
  name: 'prices.lock_own',
  text: `${OWN} JOIN unnest($1::int[], $2::int[]) AS pair (merchant_id, product_id)
                ON pair.merchant_id = own.merchant_id AND pair.product_id = own.product_id
         ORDER BY own.merchant_id, p.sku FOR NO KEY UPDATE OF own`,
};

/** $1 a pattern of LIKE. */
export const LOCK_LIKE: Statement = {
  name: 'prices.lock_like',
  text: `SELECT id, sku, price FROM products WHERE sku LIKE $1 ORDER BY sku FOR NO KEY UPDATE`,
};

/** $1 a pattern of LIKE. */
export const OWN_LIKE: Statement = {
  name: 'prices.own_like',
  text: `${OWN} WHERE p.sku LIKE $1 ORDER BY p.sku, own.merchant_id`,
};

/** $1 a pattern of LIKE, $2 the merchant. */
export const LOCK_OWN_LIKE: Statement = {
  name: 'prices.lock_own_like',
  text: `${OWN} WHERE p.sku LIKE $1 AND own.merchant_id = $2 ORDER BY p.sku FOR NO KEY UPDATE OF own FOR SHARE OF p`,
};

/** $1 merchants, $2 products and $3 prices, row by row. */
export const SET_OWN: Statement = {
  name: 'prices.set_own',
  text: `INSERT INTO merchant_prices (merchant_id, product_id, price)
         SELECT * FROM unnest($1::int[], $2::int[], $3::bigint[])
         ON CONFLICT (merchant_id, product_id) DO UPDATE SET price = excluded.price, updated_at = now()`,
};

/** $1 merchants and $2 products, pair by pair. */
export const CLEAR_OWN: Statement = {
  name: 'prices.clear_own',
  text: `DELETE FROM merchant_prices own USING unnest($1::int[], $2::int[]) AS gone (merchant_id, product_id)
         WHERE own.merchant_id = gone.merchant_id AND own.product_id = gone.product_id`,
};

/** $1 products and $2 list prices, row by row. */
export const SET_LIST: Statement = {
  name: 'prices.set_list',
  text: `UPDATE products SET price = changed.price, updated_at = now()
         FROM unnest($1::int[], $2::bigint[]) AS changed (id, price) WHERE products.id = changed.id`,
};
