import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TaskRunner } from './task-runner.js';

/** Runs the tasks of every process, for those that are no workers. */
@Module({ imports: [DiscoveryModule], providers: [TaskRunner] })
export class TasksModule {}
