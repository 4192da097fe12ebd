import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { AttemptAnswersService } from './attempt-answers.service.js';
import { AttemptLogService } from './attempt-log.service.js';
import { AttemptChecksRepository } from './attempt-checks.repository.js';
import { AttemptsRepository } from './attempts.repository.js';
import { FailoverService } from './failover.service.js';

const PROVIDERS = [
  AttemptAnswersService,
  AttemptLogService,
  AttemptsRepository,
  FailoverService,
  AttemptChecksRepository,
];

/** Applies suppliers' outcomes to attempts, in API and worker. */
@Module({
  imports: [OrdersModule, SuppliersModule],
  providers: PROVIDERS,
  exports: [OrdersModule, ...PROVIDERS],
})
export class AttemptsModule {}
