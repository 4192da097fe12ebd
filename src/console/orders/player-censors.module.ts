import { Module } from '@nestjs/common';
import { SupportModule } from '../../support/support.module.js';
import { PlayerMaskingService } from './player-masking.service.js';

@Module({ imports: [SupportModule], providers: [PlayerMaskingService], exports: [PlayerMaskingService] })
export class PlayerCensorsModule {}
