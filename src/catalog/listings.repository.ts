import { Injectable } from '@nestjs/common';
import { Database, type Queryable } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { Reads } from '../database/reads.js';
import type { MerchantPrice } from './merchant-price.entity.js';
import type { Product } from './product.entity.js';

/** A product as one merchant can order it. */
export type Listing = Pick<
  Product,
  'id' | 'sku' | 'name' | 'requires_server' | 'requires_character' | 'max_quantity' | 'active'
> & { list_price: Product['price']; own_price: Product['price'] };

/** What a merchant pays: its own price, which the list price caps. */
const MERCHANT_PRICE = 'least(p.price, coalesce(own.price, p.price))';

const listingsFor = (merchantId: string): string => `
  SELECT p.id, p.sku, p.name, p.price AS list_price, ${MERCHANT_PRICE} AS own_price,
         p.requires_server, p.requires_character, p.max_quantity, p.active
  FROM products p LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = ${merchantId}`;

const FIND = statement(
  'listings.find',
  { merchantId: 'int', sku: 'text' },
  ({ merchantId, sku }) => `${listingsFor(merchantId)} WHERE p.sku = ${sku}`,
);

const PAGE = statement(
  'listings.page',
  { merchantId: 'int', after: 'int', limit: 'int' },
  ({ merchantId, after, limit }) =>
    `${listingsFor(merchantId)} WHERE p.id > ${after} ORDER BY p.id LIMIT ${limit}`,
);

/** A product as an order of one merchant takes it. */
export type OrderableProduct = Pick<MerchantPrice, 'merchant_id'> &
  Pick<Product, 'sku' | 'supplier_sku' | 'requires_server' | 'requires_character' | 'max_quantity'> & {
    /** Null when there is no such product, or it is not sold at present. */
    supplier_id: Product['supplier_id'] | null;
    list_price: Product['price'];
    unit_price: MerchantPrice['price'];
    /** The time of the transaction's statement: the same on every row. */
    now: Date;
  };

/** Prices come from the tables in the order's own transaction: a changed price is never charged late. */
export const FIND_ORDERABLE = statement(
  'listings.find_orderable',
  { asked: rowsOf({ merchant_id: 'int', sku: 'text' }) },
  ({ asked }) => `
    SELECT asked.merchant_id, asked.sku, p.supplier_id, p.supplier_sku, p.price AS list_price,
           ${MERCHANT_PRICE} AS unit_price,
           p.requires_server, p.requires_character, p.max_quantity,
           date_trunc('milliseconds', statement_timestamp()) AS now
    FROM ${asked.as('asked')}
    LEFT JOIN products p ON p.sku = asked.sku AND p.active
    LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = asked.merchant_id`,
);

/** Products at the prices of one merchant. */
@Injectable()
export class ListingsRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
  ) {}

  async find(merchantId: number, sku: string): Promise<Listing | undefined> {
    const [listing] = await this.database.query<Listing>(...FIND.with({ merchantId, sku }));
    return listing;
  }

  /** In the order in which products were added. @param after the last id of the page before. */
  page(merchantId: number, after: number, limit: number): Promise<Listing[]> {
    return this.reads.query<Listing>(...PAGE.with({ merchantId, after, limit }));
  }

  /** A row for each that is asked for, even if there is no such product. */
  findOrderable(
    tx: Queryable,
    asked: Pick<OrderableProduct, 'merchant_id' | 'sku'>[],
  ): Promise<OrderableProduct[]> {
    return tx.query<OrderableProduct>(...FIND_ORDERABLE.with({ asked }));
  }
}
