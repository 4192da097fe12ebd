import { Body, Controller, Delete, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { IdempotencyKey, PathId } from '../access/parameters.js';
import { ConsoleJobsService } from './console-jobs.service.js';
import { JobDetailDto, JobDto, JobsQueryDto, StartJobDto } from './job.dto.js';

const READERS = 'Reports need `reports.read`, the audit `audit.run`, replays `webhooks.read`.';

@ApiTags('Jobs')
@Controller('api/jobs')
export class JobsController {
  constructor(private readonly jobs: ConsoleJobsService) {}

  @Post()
  @ConsoleRoute('operator', 'Start a report or the audit in the background', JobDto, {
    description:
      'Reports need `reports.run`, the audit `audit.run`. A console process runs one job at a time, and all processes together ' +
      'run one job of each kind. Otherwise the answer is 409. A repeated request with the same Idempotency-Key returns the same job.',
    status: 201,
  })
  start(
    @CurrentCaller() caller: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: StartJobDto,
  ): Promise<JobDto> {
    return this.jobs.start(caller, key, body);
  }

  @Get()
  @ConsoleRoute('operator', 'Jobs, newest first, of the kinds that the caller may see', [JobDto], {
    description: READERS,
  })
  list(@CurrentCaller() caller: Caller, @Query() query: JobsQueryDto): Promise<Page<JobDto>> {
    return this.jobs.list(caller, query);
  }

  @Get(':id')
  @ConsoleRoute('operator', 'A job with its result', JobDetailDto, { description: READERS })
  show(@CurrentCaller() caller: Caller, @PathId('job') id: number): Promise<JobDetailDto> {
    return this.jobs.show(caller, id);
  }

  @Get(':id/csv')
  @ConsoleRoute('exports.run', 'A job’s result as CSV', 'csv', {
    description: `UTF-8 with a byte order mark. The audit log records the export. ${READERS}`,
  })
  export(@CurrentCaller() caller: Caller, @PathId('job') id: number, @Res() response: Response): Promise<void> {
    return this.jobs.export(caller, id, response);
  }

  @Delete(':id')
  @ConsoleRoute('operator', 'Cancel a job', JobDetailDto, {
    description:
      'Needs the permission that starts the job. Its statements are cancelled within two seconds, but a call to a supplier ' +
      'ends first. Its completed work stays.',
  })
  cancel(@CurrentCaller() caller: Caller, @PathId('job') id: number): Promise<JobDetailDto> {
    return this.jobs.cancel(caller, id);
  }
}
