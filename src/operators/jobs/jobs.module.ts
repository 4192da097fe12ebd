import { Module } from '@nestjs/common';
import { JobDatabase } from './job-database.js';
import { JobRunner } from './job-runner.js';
import { JobsRepository } from './jobs.repository.js';

/** Background jobs, with their own connections. */
@Module({
  providers: [JobDatabase, JobsRepository, JobRunner],
  exports: [JobDatabase, JobsRepository, JobRunner],
})
export class JobsModule {}
