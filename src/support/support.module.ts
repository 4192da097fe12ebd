import { Module } from '@nestjs/common';
import { OrderOverviewRepository } from './order-overview.repository.js';
import { OrderOverviewService } from './order-overview.service.js';
import { OrderSupportRepository } from './order-support.repository.js';
import { OrderSupportService } from './order-support.service.js';
import { ProductSalesRepository } from './product-sales.repository.js';
import { ProductSalesService } from './product-sales.service.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewService } from './review.service.js';
import { UndecidedCallsRepository } from './undecided-calls.repository.js';

/** What looks for orders and shows them. */
@Module({
  providers: [
    OrderSupportRepository,
    OrderSupportService,
    OrderOverviewRepository,
    OrderOverviewService,
    ReviewRepository,
    ReviewService,
    ProductSalesRepository,
    ProductSalesService,
    UndecidedCallsRepository,
  ],
  exports: [
    OrderSupportRepository,
    OrderSupportService,
    OrderOverviewService,
    ProductSalesService,
    ReviewService,
    ReviewRepository,
    UndecidedCallsRepository,
  ],
})
export class SupportModule {}
