import { Module } from '@nestjs/common';
import { ReversalsModule } from '../../support/reversals.module.js';
import { PlayerCensorsModule } from '../desk/player-censors.module.js';
import { ReversalPages } from './reversal-pages.service.js';
import { ConsoleReversalsController } from './reversals.controller.js';

/** Cases in which a supplier contradicts how a unit was settled. */
@Module({
  imports: [ReversalsModule, PlayerCensorsModule],
  controllers: [ConsoleReversalsController],
  providers: [ReversalPages],
})
export class ReversalPagesModule {}
