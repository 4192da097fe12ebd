import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PartitionTasksModule } from '../database/partitions/partition-tasks.module.js';
import { OldPartitionsService } from './old-partitions.service.js';
import { OverdueSweeper } from './overdue-sweeper.js';
import { RetentionRepository } from './retention.repository.js';
import { RetentionService } from './retention.service.js';
import { IS_WORKER, TaskRunner } from './task-runner.js';
import { WrittenAheadRepository } from './written-ahead.repository.js';

/** Runs the tasks of a worker. */
@Module({
  imports: [DiscoveryModule, PartitionTasksModule],
  providers: [
    { provide: IS_WORKER, useValue: true },
    TaskRunner,
    OverdueSweeper,
    OldPartitionsService,
    WrittenAheadRepository,
    RetentionRepository,
    RetentionService,
  ],
})
export class MaintenanceModule {}
