import { Module } from '@nestjs/common';
import { OrderSearchRepository } from './order-search.repository.js';
import { OrderSupportRepository } from './order-support.repository.js';
import { OrderSupportService } from './order-support.service.js';
import { ProductSalesRepository } from './product-sales.repository.js';
import { ProductSalesService } from './product-sales.service.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewService } from './review.service.js';
import { UndecidedCallsRepository } from './undecided-calls.repository.js';

// For the services of `OrderDecisionsModule`, which imports this module.
const FOR_DECISIONS = [OrderSupportRepository, ReviewRepository];
const FOR_CONSOLE_AND_CLI = [OrderSupportService, ProductSalesService, ReviewService, UndecidedCallsRepository];

/** Reads orders, the review, sales by product, and suppliers' calls that decided nothing about their unit. */
@Module({
  providers: [OrderSearchRepository, ProductSalesRepository, ...FOR_DECISIONS, ...FOR_CONSOLE_AND_CLI],
  exports: [...FOR_DECISIONS, ...FOR_CONSOLE_AND_CLI],
})
export class SupportModule {}
