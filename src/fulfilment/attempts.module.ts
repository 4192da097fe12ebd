import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { AttemptAnswers } from './attempt-answers.js';
import { AttemptLog } from './attempt-log.js';
import { AttemptChecksRepository } from './attempt-checks.repository.js';
import { AttemptsRepository } from './attempts.repository.js';
import { NextAttempts } from './next-attempts.js';

const PROVIDERS = [AttemptAnswers, AttemptLog, AttemptsRepository, NextAttempts, AttemptChecksRepository];

/** What suppliers' words do to units, in whatever process they reach us. */
@Module({
  imports: [OrdersModule, SuppliersModule],
  providers: PROVIDERS,
  exports: [OrdersModule, ...PROVIDERS],
})
export class AttemptsModule {}
