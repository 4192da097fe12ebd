import { Module } from '@nestjs/common';
import { ReversalsModule } from '../../support/reversals.module.js';
import { UnitDeliveriesModule } from '../../orders/codes/unit-deliveries.module.js';
import { PlayerCensorsModule } from '../orders/player-censors.module.js';
import { CaseRevealService } from './case-reveal.service.js';
import { ReversalViewsService } from './reversal-views.service.js';
import { ConsoleReversalsController } from './reversals.controller.js';

/** Cases in which a supplier contradicts how a unit was settled. */
@Module({
  imports: [ReversalsModule, PlayerCensorsModule, UnitDeliveriesModule],
  controllers: [ConsoleReversalsController],
  providers: [CaseRevealService, ReversalViewsService],
})
export class ReversalViewsModule {}
