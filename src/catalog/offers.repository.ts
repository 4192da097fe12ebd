import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { statement } from '../database/parameters.js';
import { Reads } from '../database/reads.js';
import type { Product } from './product.entity.js';

/** A product as one merchant can order it. */
export type Offer = Pick<
  Product,
  'id' | 'sku' | 'name' | 'requires_server' | 'requires_character' | 'max_quantity' | 'active'
> & { list_price: Product['price']; own_price: Product['price'] };

const offersTo = (merchantId: string): string => `
  SELECT p.id, p.sku, p.name, p.price AS list_price, least(p.price, coalesce(own.price, p.price)) AS own_price,
         p.requires_server, p.requires_character, p.max_quantity, p.active
  FROM products p LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = ${merchantId}`;

const FIND = statement(
  'offers.find',
  { merchantId: 'int', sku: 'text' },
  ({ merchantId, sku }) => `${offersTo(merchantId)} WHERE p.sku = ${sku}`,
);

const PAGE = statement(
  'offers.page',
  { merchantId: 'int', after: 'int', limit: 'int' },
  ({ merchantId, after, limit }) =>
    `${offersTo(merchantId)} WHERE p.id > ${after} ORDER BY p.id LIMIT ${limit}`,
);

@Injectable()
export class OffersRepository {
  constructor(
    private readonly database: Database,
    private readonly reads: Reads,
  ) {}

  async find(merchantId: number, sku: string): Promise<Offer | undefined> {
    const [offer] = await this.database.query<Offer>(...FIND.with({ merchantId, sku }));
    return offer;
  }

  /** In the order in which products were added. @param after the last id of the page before. */
  page(merchantId: number, after: number, limit: number): Promise<Offer[]> {
    return this.reads.query<Offer>(...PAGE.with({ merchantId, after, limit }));
  }
}
