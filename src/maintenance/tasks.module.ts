import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TaskRunner } from './task-runner.js';

/** Runs the tasks with `inEveryProcess`, in processes that are not workers. */
@Module({ imports: [DiscoveryModule], providers: [TaskRunner] })
export class TasksModule {}
