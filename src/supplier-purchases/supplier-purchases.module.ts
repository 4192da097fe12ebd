import { Module } from '@nestjs/common';
import { SettlementRepository } from '../orders/settlement.repository.js';
import { SuppliersModule } from '../suppliers/suppliers.module.js';
import { BoughtCases } from './bought-cases.js';
import { PurchaseListsRepository } from './purchase-lists.repository.js';
import { PurchaseListsService } from './purchase-lists.service.js';
import { PurchaseWatchService } from './purchase-watch.service.js';
import { SoldAfterAllRepository } from './sold-after-all.repository.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

@Module({
  imports: [SuppliersModule],
  providers: [
    ...[BoughtCases, PurchaseListsRepository, PurchaseListsService, UnknownPurchasesRepository],
    // Without the rest of its module, which knows the queues.
    ...[SettlementRepository, SoldAfterAllRepository],
    PurchaseWatchService,
  ],
  exports: [PurchaseListsService, UnknownPurchasesRepository],
})
export class SupplierPurchasesModule {}
