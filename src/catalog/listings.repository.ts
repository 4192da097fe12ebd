import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { CONFIG, type Config } from '../core/config.js';
import { SANDBOX_SUPPLIER_ID } from '../core/sandbox.js';
import { Database, type Queryable } from '../database/database.js';
import { rowsOf, statement } from '../database/parameters.js';
import { BoundedReadsService } from '../database/bounded-reads.service.js';
import type { MerchantPrice } from './merchant-price.entity.js';
import type { Product } from './product.entity.js';
import { routingLimits, type RoutingLimits } from './routing.js';
import { firstPassedOver, offersOf, passedOver, routingOrder, ROUTING_PARAMETERS } from './routing.sql.js';
import type { SupplierOffer } from './supplier-offer.entity.js';

/** A product as one merchant can order it. */
export type Listing = Pick<
  Product,
  'id' | 'sku' | 'name' | 'requires_server' | 'requires_character' | 'max_quantity' | 'kind'
> & {
  list_price: Product['price'];
  own_price: Product['price'];
  /** Whether it is active and has an offer that is routable at the merchant's price. In the sandbox, no offer is needed. */
  available: boolean;
};

/** The merchant to which a product is listed. */
export type Customer = Pick<Caller, 'merchantId' | 'sandbox'>;
const MERCHANT = { merchantId: 'int', sandbox: 'boolean' } as const;
type InText = Record<keyof typeof MERCHANT, string>;

/** The price that a merchant pays: its own price, which the list price caps. */
export const MERCHANT_PRICE = 'least(p.price, coalesce(own.price, p.price))';

const listingsFor = ({ merchantId, sandbox }: InText, limits: Parameters<typeof offersOf>[0]): string => `
  SELECT p.id, p.sku, p.name, p.price AS list_price, ${MERCHANT_PRICE} AS own_price,
         p.requires_server, p.requires_character, p.max_quantity, p.kind,
         p.active AND (${sandbox} OR EXISTS (
           SELECT FROM (${offersOf(limits, { price: MERCHANT_PRICE })}) offer WHERE why_not IS NULL)) AS available
  FROM products p LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = ${merchantId}`;

const FIND = statement(
  'listings.find',
  { ...MERCHANT, sku: 'text', ...ROUTING_PARAMETERS },
  ({ merchantId, sandbox, sku, ...limits }) => `${listingsFor({ merchantId, sandbox }, limits)} WHERE p.sku = ${sku}`,
);

const PAGE = statement(
  'listings.page',
  { ...MERCHANT, after: 'int', limit: 'int', ...ROUTING_PARAMETERS },
  ({ merchantId, sandbox, after, limit, ...limits }) =>
    `${listingsFor({ merchantId, sandbox }, limits)} WHERE p.id > ${after} ORDER BY p.id LIMIT ${limit}`,
);

/** Finds no row for a product that is not active. */
const FIND_PLAYER_CHECK = statement(
  'listings.find_player_check',
  { sku: 'text' },
  ({ sku }) => `SELECT player_check FROM products WHERE sku = ${sku} AND active`,
);

/** The product that a merchant wants to order. */
export type QueriedProduct = Pick<MerchantPrice, 'merchant_id'> &
  Pick<Product, 'sku'> & {
    /** Whether the merchant wants more than one unit. */
    many: boolean;
    /** Whether the merchant is in the sandbox: then the built-in supplier sells every active product, regardless of its offers. */
    sandbox: boolean;
  };

/** A product as one merchant can order it, at one of its routable offers. */
export type OrderableProduct = Omit<QueriedProduct, 'sandbox'> &
  Pick<Product, 'requires_server' | 'requires_character' | 'max_quantity' | 'kind'> & {
    /** Whether the product exists and is sold at present. */
    is_listed: boolean;
    /** Null if no offer of the product is routable. */
    supplier_id: SupplierOffer['supplier_id'] | null;
    supplier_sku: SupplierOffer['supplier_sku'] | null;
    /** The supplier's code; null in the sandbox, and if no offer is routable. */
    supplier_code: string | null;
    /** Whether the offer sells a player only one unit a day. For several units, such offers come last. */
    once_per_day: SupplierOffer['once_per_day'] | null;
    /** From here to `baht_per_unit`: the offer's terms. The order stores a copy of all of them except the pattern. */
    player_template: SupplierOffer['player_template'];
    /** The pattern that a player must match at this offer; null for any player. */
    player_pattern: string | null;
    expected_cost_micros: SupplierOffer['cost_micros'];
    max_cost_micros: bigint | null;
    cost_currency: SupplierOffer['cost_currency'];
    baht_per_unit: string | null;
    /** The first offers that routing passed over before this one, as the JSON of `PassedOver[]`; null if there are none. */
    passed_over: string | null;
    list_price: Product['price'];
    unit_price: MerchantPrice['price'];
    /** The time of the statement: the same in every row. */
    now: Date;
  };

/**
 * Reads prices in the order's own transaction, so that no order pays an outdated price. Returns the routable offers of a product
 * up to the first offer that takes any player. For most products, this is one row. If the merchant wants several units, offers
 * that sell a player only one unit a day come last: if only such offers are routable, the service refuses the order. For sandbox
 * merchants, the statement reads no offers.
 */
export const LIST_ORDERABLE = statement(
  'listings.list_orderable',
  {
    queried: rowsOf({ merchant_id: 'int', sku: 'text', many: 'boolean', sandbox: 'boolean' }),
    ...ROUTING_PARAMETERS,
  },
  ({ queried, ...limits }) => `
    SELECT queried.merchant_id, queried.sku, queried.many, p.id IS NOT NULL AS is_listed,
           CASE WHEN queried.sandbox THEN ${SANDBOX_SUPPLIER_ID} ELSE first.supplier_id END AS supplier_id,
           CASE WHEN queried.sandbox THEN p.sku ELSE first.supplier_sku END AS supplier_sku, first.supplier_code, first.once_per_day, first.player_template, first.player_pattern,
           first.cost_micros AS expected_cost_micros, first.max_cost_micros, first.cost_currency, first.baht_per_unit,
           ${firstPassedOver('first.passed_over')}::text AS passed_over, p.price AS list_price, ${MERCHANT_PRICE} AS unit_price,
           p.requires_server, p.requires_character, p.max_quantity, p.kind,
           date_trunc('milliseconds', statement_timestamp()) AS now
    FROM ${queried.as('queried')}
    LEFT JOIN products p ON p.sku = queried.sku AND p.active
    LEFT JOIN merchant_prices own ON own.product_id = p.id AND own.merchant_id = queried.merchant_id
    LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT offer.*, row_number() OVER places AS place,
               count(*) FILTER (WHERE player_pattern IS NULL AND why_not IS NULL) OVER places AS for_anybody,
               ${passedOver('offer', 'why_not')} OVER places AS passed_over
        FROM (${offersOf(limits, { price: MERCHANT_PRICE })}) offer
        WHERE NOT queried.sandbox
        WINDOW places AS (ORDER BY queried.many AND offer.once_per_day, ${routingOrder('offer')} ROWS UNBOUNDED PRECEDING)
      ) routable
      WHERE why_not IS NULL AND (for_anybody = 0 OR for_anybody = 1 AND player_pattern IS NULL)) first ON true
    ORDER BY first.place`,
);

/** Products at the prices of one merchant. */
@Injectable()
export class ListingsRepository {
  private readonly limits: RoutingLimits;

  constructor(
    private readonly database: Database,
    private readonly reads: BoundedReadsService,
    @Inject(CONFIG) config: Config,
  ) {
    this.limits = routingLimits(config);
  }

  async find({ merchantId, sandbox }: Customer, sku: string): Promise<Listing | undefined> {
    const [listing] = await this.database.query<Listing>(...FIND.with({ merchantId, sandbox, sku, ...this.limits }));
    return listing;
  }

  /** Products in the order in which they were added. @param after the last id of the page before. */
  page({ merchantId, sandbox }: Customer, after: number, limit: number): Promise<Listing[]> {
    return this.reads.list<Listing>(...PAGE.with({ merchantId, sandbox, after, limit, ...this.limits }));
  }

  /** The player check of a product; null if the product has none, or is not active. */
  async findPlayerCheck(sku: string): Promise<Product['player_check']> {
    const [product] = await this.database.query<Pick<Product, 'player_check'>>(...FIND_PLAYER_CHECK.with({ sku }));
    return product?.player_check ?? null;
  }

  /** One row or more for each requested product, even if it does not exist; the best offer first. */
  listOrderable(tx: Queryable, queried: QueriedProduct[]): Promise<OrderableProduct[]> {
    return tx.query<OrderableProduct>(...LIST_ORDERABLE.with({ queried, ...this.limits }));
  }
}
