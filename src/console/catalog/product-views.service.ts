import { Inject, Injectable } from '@nestjs/common';
import { OffersService } from '../../catalog/offers.service.js';
import { PricesService } from '../../catalog/prices.service.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { pick } from '../../core/members.js';
import { formatBaht } from '../../core/money.js';
import { MerchantsService } from '../../merchants/merchants.service.js';
import { ProductSalesService } from '../../support/product-sales.service.js';
import { timezoneOf, type Caller } from '../access/caller.js';
import type { ProductDetailDto } from './product.dto.js';
import { toListedProductDto, toOfferDto } from './product.mapper.js';

const MAX_OWN_PRICES = 100;

/** A product with its offers, prices and sales of today. */
@Injectable()
export class ProductViewsService {
  constructor(
    private readonly listing: ProductListingService,
    private readonly offers: OffersService,
    private readonly prices: PricesService,
    private readonly merchants: MerchantsService,
    private readonly sales: ProductSalesService,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async show(caller: Caller, sku: string): Promise<ProductDetailDto> {
    const found = await this.listing.get(sku);
    const { product, offers, inUse } = found;
    const [today, changes, own, merchants] = await Promise.all([
      this.today(caller),
      this.offers.changes(product.id),
      this.prices.list({ sku }),
      this.merchants.list(),
    ]);
    const nameOf = new Map(merchants.map(({ id, name }) => [id, name]));
    return {
      ...toListedProductDto(found, caller, today),
      ...pick(product, 'player_check', 'created_at'),
      offer_list: offers.map((offer) => toOfferDto(offer, caller, { inUse, changes })),
      own_prices: own.slice(0, MAX_OWN_PRICES).map(({ merchant_id: id, price }) => ({
        merchant: { id, name: nameOf.get(id) ?? String(id) },
        price: formatBaht(price),
      })),
      own_price_count: own.length,
    };
  }

  /** Returns null if the sales can't be read: then pages show products without sales. */
  today(caller: Caller): Promise<Awaited<ReturnType<ProductSalesService['today']>> | null> {
    return this.sales.today(timezoneOf(caller.session, this.config)).catch((error: unknown) => {
      this.logger.warn({ err: error }, 'the sales of today could not be counted');
      return null;
    });
  }
}
