import { Module } from '@nestjs/common';
import { StatsModule } from '../../monitoring/stats/stats.module.js';
import { BusinessDaysRepository } from './business-days.repository.js';
import { BusinessDaysService } from './business-days.service.js';

/** The figures of the console's home page. */
@Module({
  imports: [StatsModule],
  providers: [BusinessDaysRepository, BusinessDaysService],
  exports: [BusinessDaysService],
})
export class BusinessDaysModule {}
