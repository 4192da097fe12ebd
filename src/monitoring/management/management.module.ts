import { Module } from '@nestjs/common';
import { FiguresModule } from '../stats/figures.module.js';
import { HealthModule } from '../../health/health.module.js';
import { DatabaseStatsService } from './database-stats.service.js';
import { ManagementServer } from './management-server.js';
import { QueueBoardRepository } from './queue-board.repository.js';

@Module({
  imports: [FiguresModule, HealthModule],
  providers: [ManagementServer, DatabaseStatsService, QueueBoardRepository],
  exports: [FiguresModule, HealthModule, ManagementServer],
})
export class ManagementModule {}
