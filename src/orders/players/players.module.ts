import { Module } from '@nestjs/common';
import { ListingsModule } from '../../catalog/listings.module.js';
import { PlayerValidatorsService } from '../../catalog/player-validators/player-validators.service.js';
import { PlayersService } from './players.service.js';
import { VerdictCache } from './verdict-cache.js';

@Module({
  imports: [ListingsModule],
  providers: [PlayersService, PlayerValidatorsService, VerdictCache],
  exports: [PlayersService],
})
export class PlayersModule {}
