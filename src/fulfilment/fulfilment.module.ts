import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { UnitObserver } from './unit-observer.js';
import { AnswerKeeper } from './answer-keeper.js';
import { AttemptAnswers } from './attempt-answers.js';
import { AttemptsRepository } from './attempts.repository.js';
import { NextAttempts } from './next-attempts.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SupplierCaller } from './supplier-caller.js';
import { UnitDispatcher } from './unit-dispatcher.js';
import { UnitsRepository } from './units.repository.js';

/** What buys units. The queue's processor is not here: it starts to consume in whatever process provides it. */
@Module({
  imports: [OrdersModule, SuppliersModule],
  providers: [
    ...[UnitDispatcher, UnitsRepository, SupplierCaller, OutcomeRecorder, AnswerKeeper, UnitObserver],
    ...[AttemptAnswers, AttemptsRepository, NextAttempts],
  ],
  exports: [UnitDispatcher, SuppliersModule],
})
export class FulfilmentModule {}
