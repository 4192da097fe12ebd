import { Module } from '@nestjs/common';
import { PlayerValidators } from './player-validators.js';

@Module({ providers: [PlayerValidators], exports: [PlayerValidators] })
export class PlayerValidatorsModule {}
