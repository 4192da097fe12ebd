import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TaskRunner } from './task-runner.js';

/** For a process that is no worker: runs what every process does. */
@Module({ imports: [DiscoveryModule], providers: [TaskRunner] })
export class TasksModule {}
