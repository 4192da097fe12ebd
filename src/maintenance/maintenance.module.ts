import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { IS_WORKER, TaskRunner } from './task-runner.js';

/** Runs the tasks of a worker. */
@Module({
  imports: [DiscoveryModule],
  providers: [{ provide: IS_WORKER, useValue: true }, TaskRunner],
})
export class MaintenanceModule {}
