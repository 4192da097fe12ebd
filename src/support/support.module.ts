import { Module } from '@nestjs/common';
import { OrderDeskRepository } from './order-desk.repository.js';
import { OrderDesk } from './order-desk.service.js';
import { OrderSupportRepository } from './order-support.repository.js';
import { OrderSupportService } from './order-support.service.js';
import { ProductSalesRepository } from './product-sales.repository.js';
import { ProductSales } from './product-sales.service.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewQueue } from './review.service.js';
import { UndecidedCallsRepository } from './undecided-calls.repository.js';

/** What looks for orders and shows them. */
@Module({
  providers: [
    ...[OrderSupportRepository, OrderSupportService],
    ...[OrderDeskRepository, OrderDesk, ReviewRepository, ReviewQueue],
    ...[ProductSalesRepository, ProductSales, UndecidedCallsRepository],
  ],
  exports: [
    ...[OrderSupportRepository, OrderSupportService, OrderDesk, ProductSales],
    ...[ReviewQueue, ReviewRepository, UndecidedCallsRepository],
  ],
})
export class SupportModule {}
