import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { FxRatesRepository } from './fx-rates.repository.js';
import { FxRatesService } from './fx-rates.service.js';
import { ListingsModule } from './listings.module.js';
import { OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import { PriceAdjustmentsService } from './price-adjustments.service.js';
import { PricesRepository } from './prices.repository.js';
import { PricesService } from './prices.service.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

@Module({
  imports: [MerchantsModule, SuppliersModule, ListingsModule],
  providers: [
    ...[ProductsRepository, ProductsService],
    ...[OffersRepository, OffersService, FxRatesRepository, FxRatesService],
    ...[PricesRepository, PricesService, PriceAdjustmentsService],
  ],
  exports: [
    ...[SuppliersModule, ListingsModule, ProductsService, PricesService, PriceAdjustmentsService],
    ...[OffersService, FxRatesService],
  ],
})
export class CatalogModule {}
