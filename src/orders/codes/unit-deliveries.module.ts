import { Module } from '@nestjs/common';
import { UnitDeliveriesRepository } from './unit-deliveries.repository.js';
import { UnitDeliveriesService } from './unit-deliveries.service.js';

@Module({
  providers: [UnitDeliveriesRepository, UnitDeliveriesService],
  exports: [UnitDeliveriesRepository, UnitDeliveriesService],
})
export class UnitDeliveriesModule {}
