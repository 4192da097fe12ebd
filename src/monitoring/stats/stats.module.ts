import { Module } from '@nestjs/common';
import { DatabaseStatsRepository } from './database-stats.repository.js';
import { StatsService } from './stats.service.js';
import { MinuteStatsRepository } from './minute-stats.repository.js';
import { MinuteStatsService } from './minute-stats.service.js';
import { SupplierStatesRepository } from './supplier-states.repository.js';

const PROVIDERS = [
  DatabaseStatsRepository,
  MinuteStatsRepository,
  SupplierStatesRepository,
  StatsService,
  MinuteStatsService,
];

/** Stats by the minute, the depth of the queues, and the state of suppliers as workers see it. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class StatsModule {}
