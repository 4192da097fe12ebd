import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../core/config.js';
import type { Queryable, Transaction } from '../database/database.js';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { statement } from '../database/parameters.js';
import { SupplierProduct } from '../suppliers/supplier-product.entity.js';
import { Product } from './product.entity.js';
import { routingLimits, type RoutingLimits } from './routing.js';
import { offersOf, routingOrder, ROUTING_PARAMETERS, type RoutedOffer } from './routing.sql.js';
import { SupplierOffer } from './supplier-offer.entity.js';

export type ListedOffer = RoutedOffer & Pick<Product, 'sku'>;

/** Sorted by SKU. The offers of one product have the order in which routing tries them. */
const LIST_OFFERS = statement(
  'offers.list',
  { skus: 'text[]?', supplier: 'text?', ...ROUTING_PARAMETERS },
  ({ skus, supplier, ...limits }) => `
    SELECT p.sku, offer.* FROM products p CROSS JOIN LATERAL (${offersOf(limits)}) offer
    WHERE (${skus} IS NULL OR p.sku = ANY (${skus})) AND (${supplier} IS NULL OR offer.supplier_code = ${supplier})
    ORDER BY p.sku, ${routingOrder('offer')}`,
);

/** The columns that identify an offer. */
export type OfferKey = Pick<SupplierOffer, 'product_id' | 'supplier_id' | 'supplier_sku'>;

/** The columns of an offer that an operator's change writes. */
export type OfferRow = OfferKey &
  Pick<
    SupplierOffer,
    | 'priority'
    | 'active'
    | 'off_reason'
    | 'off_at'
    | 'off_by_fault'
    | 'player_template'
    | 'guard_percent'
    | 'cost_micros'
    | 'cost_currency'
    | 'cost_at'
  >;

/** The offers of products. */
@Injectable()
export class OffersRepository {
  private readonly limits: RoutingLimits;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) config: Config,
  ) {
    this.limits = routingLimits(config);
  }

  /** Sorted by SKU. The offers of one product have the order in which routing tries them. */
  list(from: Queryable, { sku, supplier }: { sku?: string; supplier?: string }): Promise<ListedOffer[]> {
    const which = { skus: sku === undefined ? null : [sku], supplier: supplier ?? null };
    return from.query<ListedOffer>(...LIST_OFFERS.with({ ...which, ...this.limits }));
  }

  /** The offers of several products, sorted as in {@link list}. */
  listOf(from: Queryable, skus: string[]): Promise<ListedOffer[]> {
    return from.query<ListedOffer>(...LIST_OFFERS.with({ skus, supplier: null, ...this.limits }));
  }

  /** When each offer of a product was last changed. */
  changes(productId: number): Promise<Pick<SupplierOffer, 'id' | 'updated_at'>[]> {
    const where = { product_id: productId };
    return this.dataSource.manager.find(SupplierOffer, { select: { id: true, updated_at: true }, where });
  }

  async hasProduct(sku: string): Promise<boolean> {
    return this.dataSource.manager.existsBy(Product, { sku });
  }

  /** Locks a product until the transaction ends, so that operators change its offers one by one. Merchants can still order it. */
  lockProduct({ manager }: Transaction, sku: string): Promise<Product | null> {
    return manager.findOne(Product, { where: { sku }, lock: { mode: 'for_no_key_update' } });
  }

  /**
   * Locks an offer until the transaction ends, so that the operator's change does not overwrite a simultaneous change
   * by a fault or a reading of the supplier's catalogue.
   */
  lock({ manager }: Transaction, { product_id, supplier_id, supplier_sku }: OfferKey): Promise<SupplierOffer | null> {
    const where = { product_id, supplier_id, supplier_sku };
    return manager.findOne(SupplierOffer, { where, lock: { mode: 'for_no_key_update' } });
  }

  /** The offer's product in the supplier's catalogue; null if there is none. */
  findSupplierProduct(
    { manager }: Transaction,
    { supplier_id, supplier_sku: sku }: OfferKey,
  ): Promise<SupplierProduct | null> {
    return manager.findOneBy(SupplierProduct, { supplier_id, sku });
  }

  async set({ manager }: Transaction, row: OfferRow): Promise<void> {
    await manager.upsert(SupplierOffer, row, ['product_id', 'supplier_id', 'supplier_sku']);
  }

  async remove({ manager }: Transaction, { id }: Pick<SupplierOffer, 'id'>): Promise<void> {
    await manager.delete(SupplierOffer, { id });
  }
}
