import { Module } from '@nestjs/common';
import { ListingsModule } from '../../catalog/listings.module.js';
import { PlayerValidatorsModule } from '../../catalog/player-validators/player-validators.module.js';
import { PlayersService } from './players.service.js';
import { VerdictCache } from './verdict-cache.js';

@Module({
  imports: [ListingsModule, PlayerValidatorsModule],
  providers: [PlayersService, VerdictCache],
  exports: [PlayersService],
})
export class PlayersModule {}
