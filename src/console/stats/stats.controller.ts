import { Controller, Get, Inject, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { BusinessDaysService } from '../../accounting/reports/business-days.service.js';
import { CONFIG, type Config } from '../../core/config.js';
import { StatsService } from '../../monitoring/stats/stats.service.js';
import { stepsBetween } from '../../monitoring/stats/steps.js';
import { SuppliersService } from '../../suppliers/suppliers.service.js';
import { CurrentCaller, timezoneOf, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { BusinessDto, FiguresNowDto, FiguresOverTimeDto, MinutesQueryDto } from './stats.dto.js';

@ApiTags('Figures')
@Controller('api/figures')
// The names of operations in console/openapi.json come from the class's name, so another name would change the document.
export class ConsoleFiguresController {
  constructor(
    private readonly stats: StatsService,
    private readonly suppliers: SuppliersService,
    private readonly days: BusinessDaysService,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('business')
  @ConsoleRoute(
    'figures.read',
    'The business of today, against yesterday and the same weekday a week before',
    BusinessDto,
    {
      description:
        'Earlier days count until the present time of the day. Sandbox merchants count nowhere, free orders have no sales.',
    },
  )
  business(@CurrentCaller() caller: Caller): Promise<BusinessDto> {
    const seesCosts = caller.may('costs.read');
    return this.days.read(timezoneOf(caller.session, this.config), { seesCosts });
  }

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
