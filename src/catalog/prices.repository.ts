import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import { Database, type Queryable, type Transaction } from '../database/database.js';
import type { MerchantPrice } from './merchant-price.entity.js';
import * as sql from './prices.sql.js';
import type { ListPrice, PricedProduct, StoredPrice } from './prices.sql.js';
import { routingLimits, type RoutingLimits } from './routing.js';

export type { ListPrice, PricedProduct, StoredPrice } from './prices.sql.js';

type Pair = Pick<MerchantPrice, 'merchant_id' | 'product_id'>;

interface PriceFilter {
  merchantId: number;
  /** This product only; null for any. */
  sku: string | null;
  isOwnOnly: boolean;
  /** Of the SKU or the name; null for any. */
  part: string | null;
  afterId: number;
}

/** What products cost: list prices, and merchants' own. */
@Injectable()
export class PricesRepository {
  private readonly limits: RoutingLimits;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.limits = routingLimits(config);
  }

  /** By SKU. @param afterId the product that the page before ended with, 0 for the first page. */
  pageOfMerchant(which: PriceFilter, limit: number): Promise<PricedProduct[]> {
    return this.database.query<PricedProduct>(...sql.PAGE_OF_MERCHANT.with({ ...which, limit, ...this.limits }));
  }

  /** Own prices by merchant and SKU. */
  listOwn({ merchantId, sku }: { merchantId?: number; sku?: string }): Promise<StoredPrice[]> {
    const which = { merchantId: merchantId ?? null, sku: sku ?? null };
    return this.database.query<StoredPrice>(...sql.LIST_OWN.with(which));
  }

  /**
   * List prices.
   * @param hold whether they must stay until the transaction ends.
   */
  list(tx: Queryable, skus: string[], { hold = false } = {}): Promise<ListPrice[]> {
    const find = hold ? sql.LOCK_PRODUCTS : sql.FIND_PRODUCTS;
    return tx.query<ListPrice>(...find.with({ skus: [...new Set(skus)] }));
  }

  /** The own prices that there are of those pairs. */
  lockOwn(tx: Queryable, pairs: Pair[]): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...sql.LOCK_OWN.with({ pairs }));
  }

  /** @param pattern of LIKE, for the SKU. @param skus only these, where they are given. */
  lockLike(tx: Queryable, pattern: string, skus: string[] | null = null): Promise<ListPrice[]> {
    return tx.query<ListPrice>(...sql.LOCK_LIKE.with({ pattern, skus }));
  }

  /** All merchants' own prices of such products. */
  ownLike(tx: Queryable, pattern: string): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...sql.OWN_LIKE.with({ pattern }));
  }

  /** One merchant's own prices of such products; those and the list prices stay until the transaction ends. */
  lockOwnLike(tx: Queryable, pattern: string, merchantId: number): Promise<StoredPrice[]> {
    return tx.query<StoredPrice>(...sql.LOCK_OWN_LIKE.with({ pattern, merchantId }));
  }

  setOwn(tx: Transaction, prices: (Pair & Pick<MerchantPrice, 'price'>)[]): void {
    if (prices.length > 0) tx.write(...sql.SET_OWN.with({ prices }));
  }

  clearOwn(tx: Transaction, pairs: Pair[]): void {
    if (pairs.length > 0) tx.write(...sql.CLEAR_OWN.with({ pairs }));
  }

  setList(tx: Transaction, products: Pick<ListPrice, 'id' | 'price'>[]): void {
    if (products.length > 0) tx.write(...sql.SET_LIST.with({ products }));
  }
}
