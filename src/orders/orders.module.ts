import { Module } from '@nestjs/common';
import { OrderPlacement } from './order-placement.js';
import { OrderSettlement } from './order-settlement.js';
import { OrdersService } from './orders.service.js';

@Module({
  providers: [OrdersService, OrderPlacement, OrderSettlement],
  exports: [OrdersService, OrderSettlement],
})
export class OrdersModule {}
