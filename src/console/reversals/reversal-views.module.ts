import { Module } from '@nestjs/common';
import { UnitDeliveriesModule } from '../../orders/codes/unit-deliveries.module.js';
import { ReversalsModule } from '../../support/reversals.module.js';
import { ConsoleOrdersModule } from '../orders/console-orders.module.js';
import { ReversalViewsService } from './reversal-views.service.js';
import { ConsoleReversalsController } from './reversals.controller.js';

@Module({
  imports: [ConsoleOrdersModule, ReversalsModule, UnitDeliveriesModule],
  controllers: [ConsoleReversalsController],
  providers: [ReversalViewsService],
})
export class ReversalViewsModule {}
