import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { MERCHANT_PRICE } from './listings.repository.js';
import type { MerchantPrice } from './merchant-price.entity.js';
import type { Product } from './product.entity.js';
import { offersOf, routingOrder, ROUTING_PARAMETERS } from './routing.sql.js';
import { routingLimits, type RoutingLimits } from './routing.js';

export type ListPrice = Pick<Product, 'id' | 'sku' | 'price'>;

/** A merchant's own price beside the list price, which caps it. */
export type StoredPrice = Pick<MerchantPrice, 'merchant_id' | 'product_id' | 'price'> &
  Pick<Product, 'sku'> & { list_price: Product['price'] };

const LIST_PRICES = 'SELECT id, sku, price FROM products';

const OWN = `
  SELECT own.merchant_id, p.sku, own.product_id, own.price, p.price AS list_price
  FROM merchant_prices own JOIN products p ON p.id = own.product_id`;

const PAIRS = rowsOf({ merchant_id: 'int', product_id: 'int' });

const LIST_OWN = statement(
  'prices.list_own',
  { merchantId: 'int?', sku: 'text?', afterMerchant: 'int', afterSku: 'text', limit: 'int' },
  ({ merchantId, sku, afterMerchant, afterSku, limit }) => `
    ${OWN} WHERE (${merchantId} IS NULL OR own.merchant_id = ${merchantId}) AND (${sku} IS NULL OR p.sku = ${sku})
      AND own.merchant_id >= ${afterMerchant} AND (own.merchant_id, p.sku) > (${afterMerchant}, ${afterSku})
    ORDER BY own.merchant_id, p.sku LIMIT ${limit}`,
);

const LIST_PRODUCTS = statement(
  'prices.list_products',
  { skus: 'text[]' },
  ({ skus }) => `${LIST_PRICES} WHERE sku = ANY(${skus}) ORDER BY sku`,
);

/**
 * Finds products by their SKUs, and locks their list prices until the transaction ends. The lock also protects own
 * prices, because a merchant's first own price has no row to lock.
 */
const LOCK_PRODUCTS = statement(
  'prices.lock_products',
  { skus: 'text[]' },
  ({ skus }) => `${LIST_PRICES} WHERE sku = ANY(${skus}) ORDER BY sku FOR NO KEY UPDATE`,
);

const LOCK_OWN = statement(
  'prices.lock_own',
  { pairs: PAIRS },
  ({ pairs }) => `
    ${OWN} JOIN ${pairs.as('pair')} ON pair.merchant_id = own.merchant_id AND pair.product_id = own.product_id
    ORDER BY own.merchant_id, p.sku FOR NO KEY UPDATE OF own`,
);

const LOCK_LIKE = statement(
  'prices.lock_like',
  { pattern: 'text', skus: 'text[]?' },
  ({ pattern, skus }) => `
    ${LIST_PRICES} WHERE sku LIKE ${pattern} AND (${skus} IS NULL OR sku = ANY (${skus}))
    ORDER BY sku FOR NO KEY UPDATE`,
);

const OWN_LIKE = statement(
  'prices.own_like',
  { pattern: 'text' },
  ({ pattern }) => `${OWN} WHERE p.sku LIKE ${pattern} ORDER BY p.sku, own.merchant_id`,
);

/** Finds a merchant's own prices, and locks these prices and the list prices of their products until the transaction ends. */
const LOCK_OWN_LIKE = statement(
  'prices.lock_own_like',
  { pattern: 'text', merchantId: 'int' },
  ({ pattern, merchantId }) => `
    ${OWN} WHERE p.sku LIKE ${pattern} AND own.merchant_id = ${merchantId}
    ORDER BY p.sku FOR NO KEY UPDATE OF p FOR NO KEY UPDATE OF own`,
);

const SET_OWN = statement(
  'prices.set_own',
  { prices: rowsOf({ merchant_id: 'int', product_id: 'int', price: 'bigint' }) },
  ({ prices }) => `
    INSERT INTO merchant_prices (${prices.names}) SELECT * FROM ${prices.unnest}
    ON CONFLICT (merchant_id, product_id) DO UPDATE SET price = excluded.price, updated_at = now()`,
);

const CLEAR_OWN = statement(
  'prices.clear_own',
  { pairs: PAIRS },
  ({ pairs }) => `
    DELETE FROM merchant_prices own USING ${pairs.as('gone')}
    WHERE own.merchant_id = gone.merchant_id AND own.product_id = gone.product_id`,
);

const SET_LIST = statement(
  'prices.set_list',
  { products: rowsOf({ id: 'int', price: 'bigint' }) },
  ({ products }) => `
    UPDATE products SET price = changed.price, updated_at = now()
    FROM ${products.as('changed')} WHERE products.id = changed.id`,
);

/** A product at a merchant's prices. */
export type PricedProduct = Pick<Product, 'id' | 'sku' | 'name' | 'active'> & {
  list_price: Product['price'];
  /** As stored: if it is above the list price, the merchant pays the list price. Null for no own price. */
  own_price: MerchantPrice['price'] | null;
  /** The present cost in satang: a whole number as text. Null if it is unknown. */
  cost: string | null;
};

/** Products sorted by SKU. The cost is that of the first offer that is routable, or that a higher price would make routable. */
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
      SELECT offer.cost FROM (${offersOf(limits, { price: MERCHANT_PRICE })}) offer
      WHERE coalesce(offer.why_not, 'no_margin') = 'no_margin' ORDER BY ${routingOrder('offer')} LIMIT 1) used ON true
    WHERE (${sku} IS NULL OR p.sku = ${sku}) AND (own.price IS NOT NULL OR NOT ${isOwnOnly})
      AND p.sku > coalesce((SELECT sku FROM products WHERE id = ${afterId}), '')
      AND (${part} IS NULL OR strpos(lower(p.sku), lower(${part})) > 0 OR strpos(lower(p.name), lower(${part})) > 0)
    ORDER BY p.sku LIMIT ${limit}`,
);

type Pair = Pick<MerchantPrice, 'merchant_id' | 'product_id'>;

/** Which own prices to list. An absent member matches all. */
export interface OwnPriceFilter {
  merchantId?: number | undefined;
  sku?: string | undefined;
}

interface PriceFilter {
  merchantId: number;
  /** Null for any. */
  sku: string | null;
  isOwnOnly: boolean;
  /** A part of the SKU or the name; null for any. */
  part: string | null;
  afterId: number;
}

/** Prices of products: list prices, and merchants' own. */
@Injectable()
export class PricesRepository {
  private readonly limits: RoutingLimits;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.limits = routingLimits(config);
  }

  /** Products sorted by SKU. @param afterId the id of the last product on the page before, 0 for the first page. */
  pageOfMerchant(which: PriceFilter, limit: number): Promise<PricedProduct[]> {
    return this.database.query<PricedProduct>(...PAGE_OF_MERCHANT.with({ ...which, limit, ...this.limits }));
  }

  /**
   * A page of own prices, sorted by merchant and SKU.
   * @param after the last price of the page before; null for the first page.
   */
  listOwn(
    reader: Queryable,
    { merchantId, sku }: OwnPriceFilter,
    after: Pick<StoredPrice, 'merchant_id' | 'sku'> | null,
    limit: number,
  ): Promise<StoredPrice[]> {
    const place = { afterMerchant: after?.merchant_id ?? 0, afterSku: after?.sku ?? '' };
    return reader.query<StoredPrice>(
      ...LIST_OWN.with({ merchantId: merchantId ?? null, sku: sku ?? null, ...place, limit }),
    );
  }

  /**
   * List prices.
   * @param lock locks them until the transaction ends.
   */
  list(tx: Queryable, skus: string[], { lock = false } = {}): Promise<ListPrice[]> {
    const list = lock ? LOCK_PRODUCTS : LIST_PRODUCTS;
    return tx.query<ListPrice>(...list.with({ skus: [...new Set(skus)] }));
  }

  /** Locks and returns the existing own prices of these pairs. */
  lockOwn(tx: Queryable, pairs: Pair[]): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...LOCK_OWN.with({ pairs }));
  }

  /** Locks and returns list prices. @param pattern for LIKE on the SKU. @param skus only these; null for all. */
  lockLike(tx: Queryable, pattern: string, skus: string[] | null = null): Promise<ListPrice[]> {
    return tx.query<ListPrice>(...LOCK_LIKE.with({ pattern, skus }));
  }

  /** All merchants' own prices of products whose SKU matches the pattern. */
  ownLike(tx: Queryable, pattern: string): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...OWN_LIKE.with({ pattern }));
  }

  /** Locks and returns a merchant's own prices of products whose SKU matches the pattern. Locks the products' list prices, too. */
  lockOwnLike(tx: Queryable, pattern: string, merchantId: number): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...LOCK_OWN_LIKE.with({ pattern, merchantId }));
  }

  setOwn(tx: Transaction, prices: (Pair & Pick<MerchantPrice, 'price'>)[]): void {
    if (prices.length > 0) tx.write(...SET_OWN.with({ prices }));
  }

  clearOwn(tx: Transaction, pairs: Pair[]): void {
    if (pairs.length > 0) tx.write(...CLEAR_OWN.with({ pairs }));
  }

  setList(tx: Transaction, products: Pick<ListPrice, 'id' | 'price'>[]): void {
    if (products.length > 0) tx.write(...SET_LIST.with({ products }));
  }
}
