import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { FxEffects } from './fx-effects.service.js';
import { FxRatesRepository } from './fx-rates.repository.js';
import { FxRatesService } from './fx-rates.service.js';
import { ListingsModule } from './listings.module.js';
import { OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import { PriceAdjustmentsService } from './price-adjustments.service.js';
import { PricesRepository } from './prices.repository.js';
import { PricesService } from './prices.service.js';
import { ProductDesk } from './product-desk.service.js';
import { ProductImports } from './product-imports.service.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

@Module({
  imports: [MerchantsModule, SuppliersModule, ListingsModule],
  providers: [
    ...[ProductsRepository, ProductsService, ProductDesk, ProductImports],
    ...[OffersRepository, OffersService, FxRatesRepository, FxRatesService, FxEffects],
    ...[PricesRepository, PricesService, PriceAdjustmentsService],
  ],
  exports: [
    ...[SuppliersModule, ListingsModule, ProductsService, PricesService, PriceAdjustmentsService],
    ...[OffersService, FxRatesService, FxEffects, ProductDesk, ProductImports],
  ],
})
export class CatalogModule {}
