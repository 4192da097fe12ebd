import { Module } from '@nestjs/common';
import { UnitDeliveriesRepository } from './unit-deliveries.repository.js';
import { UnitDeliveries } from './unit-deliveries.js';

@Module({
  providers: [UnitDeliveriesRepository, UnitDeliveries],
  exports: [UnitDeliveriesRepository, UnitDeliveries],
})
export class UnitDeliveriesModule {}
