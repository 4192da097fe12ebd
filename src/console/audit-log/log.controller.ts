import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { LogEntryDto, LogFilterDto, LogQueryDto } from './log.dto.js';
import { LogService } from './log.service.js';

@ApiTags('Log')
@Controller('api')
export class LogController {
  constructor(private readonly log: LogService) {}

  @Get('log')
  @ConsoleRoute('log.read', 'Actions of operators, newest first', [LogEntryDto], {
    description: 'Operators of the roles support and catalog see only their own actions.',
  })
  list(@CurrentCaller() caller: Caller, @Query() query: LogQueryDto): Promise<Page<LogEntryDto>> {
    return this.log.list(caller, query);
  }

  @Get('log.csv')
  @ConsoleRoute('exports.run', 'The same as CSV, at most 1,000,000 lines', 'csv', {
    description: 'The audit log records the export, with the filters and the number of lines.',
  })
  export(@CurrentCaller() caller: Caller, @Query() query: LogFilterDto, @Res() response: Response): Promise<void> {
    return this.log.export(caller, query, response);
  }
}
