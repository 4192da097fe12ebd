import { Module } from '@nestjs/common';
import { MerchantsModule } from '../merchants/merchants.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { OffersRepository } from './offers.repository.js';
import { OffersService } from './offers.service.js';
import { PriceAdjustmentsService } from './price-adjustments.service.js';
import { PricesRepository } from './prices.repository.js';
import { PricesService } from './prices.service.js';
import { ProductsRepository } from './products.repository.js';
import { ProductsService } from './products.service.js';

@Module({
  imports: [MerchantsModule, SuppliersModule],
  providers: [
    ...[ProductsRepository, ProductsService],
    ...[PricesRepository, PricesService, PriceAdjustmentsService],
    ...[OffersRepository, OffersService],
  ],
  exports: [SuppliersModule, ProductsService, PricesService, PriceAdjustmentsService, OffersService],
})
export class CatalogModule {}
