import { Module } from '@nestjs/common';
import { SupplierCataloguesModule } from '../../catalog/supplier-catalogues.module.js';
import { AttemptsModule } from '../attempts.module.js';
import { SupplierPurchasesModule } from '../reconciliation/supplier-purchases.module.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { CallbackAnswersService } from './callback-answers.service.js';
import { CallbackAdmissionService } from './callback-admission.service.js';
import { SupplierCallbacksRepository } from './supplier-callbacks.repository.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';

@Module({
  imports: [AttemptsModule, SuppliersModule, SupplierCataloguesModule, SupplierPurchasesModule],
  providers: [CallbackAnswersService, CallbackAdmissionService, SupplierCallbacksRepository, SupplierCallbacksService],
  exports: [CallbackAdmissionService, SupplierCallbacksService],
})
export class SupplierCallbacksModule {}
