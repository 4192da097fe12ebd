import { Module } from '@nestjs/common';
import { ReadinessService } from '../health/readiness.service.js';
import { DatabaseFigures } from './database-figures.js';
import { ManagementServer } from './management-server.js';

@Module({
  providers: [ManagementServer, DatabaseFigures, ReadinessService],
  exports: [ManagementServer, ReadinessService],
})
export class ManagementModule {}
