import { Module } from '@nestjs/common';
import { SettlementRepository } from '../../orders/settlement.repository.js';
import { SuppliersModule } from '../../suppliers/suppliers.module.js';
import { AttemptChecksRepository } from '../attempt-checks.repository.js';
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
    // These two are provided here again, because their own modules need the queues.
    SettlementRepository,
    AttemptChecksRepository,
    SoldAfterAllRepository,
  ],
  exports: [PurchaseListsService, UnknownPurchasesRepository],
})
export class SupplierPurchasesModule {}
