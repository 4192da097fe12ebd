import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { CallReport } from './call-report.js';
import { HttpSupplier } from '../suppliers/http/http-supplier.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { TimingCheck } from '../suppliers/timing-check.js';
import { UnitDispatcher } from './unit-dispatcher.js';

/** What buys units. The queue's processor is not here: it starts to consume in whatever process provides it. */
@Module({
  imports: [OrdersModule],
  providers: [UnitDispatcher, OutcomeRecorder, CallReport, HttpSupplier, TimingCheck],
  exports: [UnitDispatcher, TimingCheck],
})
export class FulfilmentModule {}
