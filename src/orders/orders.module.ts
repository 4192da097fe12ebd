import { Module } from '@nestjs/common';
import { ListingsModule } from '../catalog/listings.module.js';
import { UnitDeliveriesModule } from './codes/unit-deliveries.module.js';
import { WalletModule } from '../wallet/wallet.module.js';
import { OrderPlacementService } from './order-placement.service.js';
import { OrderSettlementService } from './order-settlement.service.js';
import { OrdersRepository } from './orders.repository.js';
import { SettlementRepository } from './settlement.repository.js';
import { OrdersService } from './orders.service.js';

@Module({
  imports: [ListingsModule, WalletModule, UnitDeliveriesModule],
  providers: [OrdersRepository, SettlementRepository, OrdersService, OrderPlacementService, OrderSettlementService],
  exports: [SettlementRepository, OrdersService, OrderSettlementService, UnitDeliveriesModule],
})
export class OrdersModule {}
