import { Module } from '@nestjs/common';
import { OrderDeskRepository } from './order-desk.repository.js';
import { OrderDesk } from './order-desk.service.js';
import { OrderSupportRepository } from './order-support.repository.js';
import { OrderSupportService } from './order-support.service.js';
import { ReviewRepository } from './review.repository.js';
import { ReviewQueue } from './review.service.js';

/** What looks for orders and shows them. */
@Module({
  providers: [
    ...[OrderSupportRepository, OrderSupportService],
    ...[OrderDeskRepository, OrderDesk, ReviewRepository, ReviewQueue],
  ],
  exports: [OrderSupportRepository, OrderSupportService, OrderDesk, ReviewQueue],
})
export class SupportModule {}
