import { Module } from '@nestjs/common';
import { StatsModule } from '../stats/stats.module.js';
import { HealthModule } from '../../health/health.module.js';
import { DatabaseStatsService } from './database-stats.service.js';
import { ManagementServer } from './management-server.js';
import { QueueBoardRepository } from './queue-board.repository.js';

@Module({
  imports: [StatsModule, HealthModule],
  providers: [ManagementServer, DatabaseStatsService, QueueBoardRepository],
  exports: [StatsModule, HealthModule, ManagementServer],
})
export class ManagementModule {}
