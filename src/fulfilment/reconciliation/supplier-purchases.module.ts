import { Module } from '@nestjs/common';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { PurchaseListsRepository } from './purchase-lists.repository.js';
import { PurchaseListsService } from './purchase-lists.service.js';
import { PurchaseWatchService } from './purchase-watch.service.js';
import { SoldAfterAllRepository } from './sold-after-all.repository.js';
import { UnknownPurchasesRepository } from './unknown-purchases.repository.js';

@Module({
  imports: [SuppliersModule],
  providers: [
    PurchaseListsRepository,
    PurchaseListsService,
    PurchaseWatchService,
    UnknownPurchasesRepository,
    // `SettlementRepository` is provided here again, because its own module needs the queues.
    SettlementRepository,
    SoldAfterAllRepository,
  ],
  exports: [PurchaseListsService, UnknownPurchasesRepository],
})
export class SupplierPurchasesModule {}
