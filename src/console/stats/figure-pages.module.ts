import { Module } from '@nestjs/common';
import { FiguresModule } from '../../monitoring/stats/figures.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { StatsViewsService } from './stats-views.service.js';
import { ConsoleFiguresController } from './figures.controller.js';

/** How the service does, now and over time. */
@Module({
  imports: [FiguresModule, SuppliersModule],
  controllers: [ConsoleFiguresController],
  providers: [StatsViewsService],
})
export class FigurePagesModule {}
