import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { OverdueSweeper } from './overdue-sweeper.js';
import { IS_WORKER, TaskRunner } from './task-runner.js';
import { WrittenAheadRepository } from './written-ahead.repository.js';

/** Runs the tasks of a worker. */
@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: IS_WORKER, useValue: true }, TaskRunner, OverdueSweeper, WrittenAheadRepository],
})
export class MaintenanceModule {}
