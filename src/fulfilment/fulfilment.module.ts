import { Module } from '@nestjs/common';
import { UnitObserver } from './unit.observer.js';
import { SettlementRetryService } from './settlement-retry.service.js';
import { AttemptChecksService } from './attempt-checks.service.js';
import { CallbackCodesService } from './callback-codes.service.js';
import { CallbackRetentionService } from './callbacks/callback-retention.service.js';
import { SupplierCallbacksRepository } from './callbacks/supplier-callbacks.repository.js';
import { AttemptsModule } from './attempts.module.js';
import { FulfilmentProcessor } from './fulfilment.processor.js';
import { PausedUnitsService } from './paused-units.service.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { SupplierCaller } from './supplier-caller.js';
import { SupplierProbesService } from './supplier-probes.service.js';
import { UnitDispatcher } from './unit-dispatcher.js';
import { UnitsRepository } from './units.repository.js';

/** Buys units. Only workers may import it: every process that provides the processor consumes the queue. */
@Module({
  imports: [AttemptsModule, SuppliersModule],
  providers: [
    UnitDispatcher,
    UnitsRepository,
    SupplierCaller,
    OutcomeRecorder,
    SettlementRetryService,
    UnitObserver,
    PausedUnitsService,
    AttemptChecksService,
    CallbackCodesService,
    CallbackRetentionService,
    SupplierCallbacksRepository,
    FulfilmentProcessor,
    SupplierProbesService,
  ],
  exports: [UnitDispatcher],
})
export class FulfilmentModule {}
