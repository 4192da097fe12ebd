import { Module } from '@nestjs/common';
import { ReadinessService } from '../health/readiness.service.js';
import { ManagementServer } from './management-server.js';

@Module({
  providers: [ManagementServer, ReadinessService],
  exports: [ManagementServer, ReadinessService],
})
export class ManagementModule {}
