import { Module } from '@nestjs/common';
import { SupplierCataloguesModule } from '../../catalog/supplier-catalogues.module.js';
import { AttemptsModule } from '../attempts.module.js';
import { SupplierPurchasesModule } from '../reconciliation/supplier-purchases.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { CallbackAnswers } from './callback-answers.js';
import { CallbackGate } from './callback-gate.js';
import { SupplierCallbacksRepository } from './supplier-callbacks.repository.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';

@Module({
  imports: [AttemptsModule, SuppliersModule, SupplierCataloguesModule, SupplierPurchasesModule],
  providers: [CallbackAnswers, CallbackGate, SupplierCallbacksRepository, SupplierCallbacksService],
  exports: [CallbackGate, SupplierCallbacksService],
})
export class SupplierCallbacksModule {}
