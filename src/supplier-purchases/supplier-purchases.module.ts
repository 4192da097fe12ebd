import { Module } from '@nestjs/common';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { BoughtCases } from './bought-cases.js';
import { PurchaseListsRepository } from './purchase-lists.repository.js';
import { PurchaseListsService } from './purchase-lists.service.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

@Module({
  imports: [SuppliersModule],
  providers: [BoughtCases, PurchaseListsRepository, PurchaseListsService, UnknownPurchasesRepository],
  exports: [BoughtCases, PurchaseListsService, UnknownPurchasesRepository],
})
export class SupplierPurchasesModule {}
