import { Module } from '@nestjs/common';
import { JobsModule } from '../../operators/jobs/jobs.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import { JobExportService } from './job-export.service.js';
import { JobWorksModule } from '../../accounting/jobs/job-works.module.js';
import { JobsController } from './jobs.controller.js';

/** Background jobs that operators start. */
@Module({
  imports: [JobsModule, JobWorksModule, SuppliersModule],
  controllers: [JobsController],
  providers: [ConsoleJobsService, JobExportService],
  exports: [ConsoleJobsService],
})
export class ConsoleJobsModule {}
