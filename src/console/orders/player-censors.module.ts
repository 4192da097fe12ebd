import { Module } from '@nestjs/common';
import { SupportModule } from '../../support/support.module.js';
import { PlayerCensors } from './player-censors.service.js';

@Module({ imports: [SupportModule], providers: [PlayerCensors], exports: [PlayerCensors] })
export class PlayerCensorsModule {}
