import { Module } from '@nestjs/common';
import { StatsModule } from '../../monitoring/stats/stats.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { ConsoleFiguresController } from './stats.controller.js';

/** Numbers of the service, now and over time. */
@Module({
  imports: [StatsModule, SuppliersModule],
  controllers: [ConsoleFiguresController],
})
export class StatsViewsModule {}
