import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MerchantPrice } from './merchant-price.entity.js';
import { OffersService } from './offers.service.js';
import { PricesService } from './prices.service.js';
import { Product } from './product.entity.js';
import { ProductsService } from './products.service.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';

@Module({
  imports: [TypeOrmModule.forFeature([Product, MerchantPrice]), SuppliersModule],
  providers: [ProductsService, PricesService, OffersService],
  exports: [SuppliersModule, ProductsService, PricesService, OffersService],
})
export class CatalogModule {}
