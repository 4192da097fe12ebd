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
    'The business of today, of yesterday, and of the same weekday a week ago',
    BusinessDto,
    {
      description:
        'The figures of the earlier days count up to the present time of the day. Sandbox merchants count nowhere, and free orders have no sales.',
    },
  )
  business(@CurrentCaller() caller: Caller): Promise<BusinessDto> {
    const seesCosts = caller.may('costs.read');
    return this.days.read(timezoneOf(caller.session, this.config), { seesCosts });
  }

  @Get('now')
  @ConsoleRoute('figures.read', 'The figures of this moment: orders, units, webhooks, wallets', FiguresNowDto, {
    description: 'Sandbox merchants count nowhere. Members that could not be read within half a second are null.',
  })
  now(): Promise<FiguresNowDto> {
    return this.stats.now();
  }

  @Get('minutes')
  @ConsoleRoute('figures.read', 'The figures of a period, in at most 200 steps', FiguresOverTimeDto, {
    description:
      'The last hour unless the query says otherwise. The service keeps the stats of each minute for 90 days.',
  })
  async minutes(@Query() { from, to, supplier }: MinutesQueryDto): Promise<FiguresOverTimeDto> {
    const steps = stepsBetween(from, to);
    if (supplier === undefined) return this.stats.overTime(steps);
    return this.stats.supplierOverTime((await this.suppliers.getByCode(supplier)).code, steps);
  }
}
