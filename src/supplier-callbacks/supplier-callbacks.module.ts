import { Module } from '@nestjs/common';
import { OrdersModule } from '../orders/orders.module.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { AttemptAnswers } from './attempt-answers.js';
import { CallbackGate } from './callback-gate.js';
import { SupplierCallbacksRepository } from './supplier-callbacks.repository.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';

@Module({
  imports: [OrdersModule, SuppliersModule],
  providers: [AttemptAnswers, CallbackGate, SupplierCallbacksRepository, SupplierCallbacksService],
  exports: [CallbackGate, SupplierCallbacksService],
})
export class SupplierCallbacksModule {}
