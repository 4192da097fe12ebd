import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { FxEffectsService } from './fx-effects.service.js';
import { FxRatesRepository } from './fx-rates.repository.js';
import { FxRatesService } from './fx-rates.service.js';
import { ListingsModule } from './listings.module.js';
import { OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import { PriceAdjustmentsService } from './price-adjustments.service.js';
import { PricesRepository } from './prices.repository.js';
import { PricesService } from './prices.service.js';
import { ProductListingService } from './product-listing.service.js';
import { ProductImportsService } from './product-imports.service.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

@Module({
  imports: [MerchantsModule, SuppliersModule, ListingsModule],
  providers: [
    ProductsRepository,
    ProductsService,
    ProductListingService,
    ProductImportsService,
    OffersRepository,
    OffersService,
    FxRatesRepository,
    FxRatesService,
    FxEffectsService,
    PricesRepository,
    PricesService,
    PriceAdjustmentsService,
  ],
  exports: [
    SuppliersModule,
    ListingsModule,
    ProductsService,
    PricesService,
    PriceAdjustmentsService,
    OffersService,
    FxRatesService,
    FxEffectsService,
    ProductListingService,
    ProductImportsService,
  ],
})
export class CatalogModule {}
