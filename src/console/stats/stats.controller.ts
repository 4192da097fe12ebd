import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { FiguresNowDto, FiguresOverTimeDto, MinutesQueryDto } from './stats.dto.js';
import { StatsViewsService } from './stats-views.service.js';

@ApiTags('Figures')
@Controller('api/figures')
// Its name makes the names of operations in console/openapi.json.
export class ConsoleFiguresController {
  constructor(private readonly figures: StatsViewsService) {}

  @Get('now')
  @ConsoleRoute('figures.read', {
    summary: 'How the service does now',
    description: 'Sandbox merchants count nowhere. What could not be told within half a second is null.',
    answer: { type: FiguresNowDto },
  })
  now(): Promise<FiguresNowDto> {
    return this.figures.now();
  }

  @Get('minutes')
  @ConsoleRoute('figures.read', {
    summary: 'What was counted over a time, in at most 200 steps',
    description: 'Of the last hour unless it says otherwise. Kept for 90 days, to the minute.',
    answer: { type: FiguresOverTimeDto },
  })
  minutes(@Query() query: MinutesQueryDto): Promise<FiguresOverTimeDto> {
    return this.figures.minutes(query);
  }
}
