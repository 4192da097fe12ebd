import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { HttpSupplier } from './http-supplier.js';
import { UnitDispatcher } from './unit-dispatcher.js';

/** What buys units. The queue's processor is not here: it starts to consume in whatever process provides it. */
@Module({
  imports: [OrdersModule],
  providers: [UnitDispatcher, HttpSupplier],
  exports: [UnitDispatcher],
})
export class FulfilmentModule {}
