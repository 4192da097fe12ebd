import { Module } from '@nestjs/common';
import { DatabaseFiguresRepository } from './database-figures.repository.js';
import { FiguresService } from './figures.service.js';
import { MinuteFiguresRepository } from './minute-figures.repository.js';
import { MinuteFiguresService } from './minute-figures.service.js';
import { SupplierStatesRepository } from './supplier-states.repository.js';

const PROVIDERS = [
  DatabaseFiguresRepository,
  MinuteFiguresRepository,
  SupplierStatesRepository,
  FiguresService,
  MinuteFiguresService,
];

/** What the service counted, how full its queues are, and how its workers find the suppliers. */
@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class FiguresModule {}
