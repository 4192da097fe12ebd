import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { BatchResolution } from './batch-resolution.service.js';
import { OrderCancellation } from './order-cancellation.service.js';
import { OrderResolution } from './order-resolution.service.js';
import { SupportModule } from './support.module.js';

/** What settles units by the operator's word. Whoever imports it provides the queues. */
@Module({
  imports: [OrdersModule, SupportModule],
  providers: [BatchResolution, OrderCancellation, OrderResolution],
  exports: [SupportModule, BatchResolution, OrderCancellation, OrderResolution],
})
export class OrderDecisionsModule {}
