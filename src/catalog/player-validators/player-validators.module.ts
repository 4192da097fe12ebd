import { Module } from '@nestjs/common';
import { PlayerValidatorsService } from './player-validators.service.js';

@Module({ providers: [PlayerValidatorsService], exports: [PlayerValidatorsService] })
export class PlayerValidatorsModule {}
