import { Injectable } from '@nestjs/common';
import { UnknownResource } from '../core/errors.js';
import { mayBeStored } from '../core/text.js';
import { Database } from '../database/database.js';
import { bySku, offerInUse } from './offer-in-use.js';
import type { ListedOffer } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import type { ProductWithSupplier } from './product-definition.js';
import { ProductsRepository, type ProductFilter } from './products.repository.js';

/** A product with its offers, in the order in which routing tries them. */
export interface ProductListing {
  product: ProductWithSupplier;
  offers: ListedOffer[];
  /** The offer at which the service buys the product now, or which operators should check first: {@link offerInUse}. */
  inUse: ListedOffer | null;
}

/** Products with their offers, for operators. */
@Injectable()
export class ProductListingService {
  constructor(
    private readonly database: Database,
    private readonly products: ProductsRepository,
    private readonly offers: OffersService,
  ) {}

  /** A page of products, sorted by SKU. @param after the id of the last product of the page before. */
  async page(filter: ProductFilter, after: number | null, limit: number): Promise<ProductListing[]> {
    return this.withOffers(await this.products.skus(filter, after, limit));
  }

  /** The SKUs of all products that match. */
  skus(filter: ProductFilter): Promise<string[]> {
    return this.products.skus(filter, null, null);
  }

  /** The existing products of these SKUs. */
  async withOffers(skus: string[]): Promise<ProductListing[]> {
    const products = await this.database.transaction((tx) => this.products.listBySku(tx, skus));
    const offers = bySku(await this.offers.listOf(skus));
    return products.map((product) => {
      const own = offers.get(product.sku) ?? [];
      return { product, offers: own, inUse: offerInUse(own) };
    });
  }

  /** @throws NOT_FOUND */
  async get(sku: string): Promise<ProductListing> {
    const [found] = mayBeStored(sku, 128) ? await this.withOffers([sku]) : [];
    if (!found) throw new UnknownResource('product', sku);
    return found;
  }
}
