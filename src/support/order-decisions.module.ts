import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { BatchResolutionService } from './batch-resolution.service.js';
import { OrderCancellationService } from './order-cancellation.service.js';
import { OrderResolutionService } from './order-resolution.service.js';
import { SupportModule } from './support.module.js';

/** Settles units on operators' decisions. The importing module must provide the queues. */
@Module({
  imports: [OrdersModule, SupportModule],
  providers: [BatchResolutionService, OrderCancellationService, OrderResolutionService],
  exports: [SupportModule, BatchResolutionService, OrderCancellationService, OrderResolutionService],
})
export class OrderDecisionsModule {}
