import { Module } from '@nestjs/common';
import { HealthModule } from '../health/health.module.js';
import { DatabaseFigures } from './database-figures.js';
import { DatabaseFiguresRepository } from './database-figures.repository.js';
import { ManagementServer } from './management-server.js';
import { QueueBoardRepository } from './queue-board.repository.js';

@Module({
  imports: [HealthModule],
  providers: [ManagementServer, DatabaseFiguresRepository, DatabaseFigures, QueueBoardRepository],
  exports: [HealthModule, ManagementServer],
})
export class ManagementModule {}
