import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { StatsService } from '../../monitoring/stats/stats.service.js';
import { stepsBetween } from '../../monitoring/stats/steps.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { FiguresNowDto, FiguresOverTimeDto, MinutesQueryDto } from './stats.dto.js';

@ApiTags('Figures')
@Controller('api/figures')
// The names of operations in console/openapi.json come from the class's name, so another name would change the document.
export class ConsoleFiguresController {
  constructor(
    private readonly stats: StatsService,
    private readonly suppliers: SuppliersService,
  ) {}

  @Get('now')
  @ConsoleRoute('figures.read', 'How the service does now', FiguresNowDto, {
    description: 'Sandbox merchants count nowhere. Members that could not be read within half a second are null.',
  })
  now(): Promise<FiguresNowDto> {
    return this.stats.now();
  }

  @Get('minutes')
  @ConsoleRoute('figures.read', 'What was counted over a time, in at most 200 steps', FiguresOverTimeDto, {
    description: 'Of the last hour unless it says otherwise. Kept for 90 days, to the minute.',
  })
  async minutes(@Query() { from, to, supplier }: MinutesQueryDto): Promise<FiguresOverTimeDto> {
    const steps = stepsBetween(from, to);
    if (supplier === undefined) return this.stats.overTime(steps);
    return this.stats.supplierOverTime((await this.suppliers.getByCode(supplier)).code, steps);
  }
}
