import { Module } from '@nestjs/common';
import { ListingsModule } from '../catalog/listings.module.js';
import { UnitDeliveriesModule } from './codes/unit-deliveries.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { OrderPlacement } from './order-placement.js';
import { OrderSettlement } from './order-settlement.js';
import { OrdersRepository } from './orders.repository.js';
import { SettlementRepository } from './settlement.repository.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [ListingsModule, WalletModule, UnitDeliveriesModule],
  providers: [OrdersRepository, SettlementRepository, OrdersService, OrderPlacement, OrderSettlement],
  exports: [SettlementRepository, OrdersService, OrderSettlement, UnitDeliveriesModule],
})
export class OrdersModule {}
