import { Module } from '@nestjs/common';
import { JobDatabase } from './job-database.js';
import { JobRunner } from './job-runner.js';
import { JobsRepository } from './jobs.repository.js';

/** What is done in the background, on connections of its own. */
@Module({
  providers: [JobDatabase, JobsRepository, JobRunner],
  exports: [JobDatabase, JobsRepository, JobRunner],
})
export class JobsModule {}
