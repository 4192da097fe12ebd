import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MerchantPrice } from './merchant-price.entity.js';
import { OffersService } from './offers.service.js';
import { PricesService } from './prices.service.js';
import { Product } from './product.entity.js';
import { ProductsService } from './products.service.js';
import { Supplier } from '../suppliers/supplier.entity.js';
import { SuppliersService } from '../suppliers/suppliers.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Supplier, Product, MerchantPrice])],
  providers: [SuppliersService, ProductsService, PricesService, OffersService],
  exports: [SuppliersService, ProductsService, PricesService, OffersService],
})
export class CatalogModule {}
